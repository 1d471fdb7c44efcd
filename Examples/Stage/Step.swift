/// One line of a script: a movement of the pointer, or an action of the program.
public enum Step: Sendable, Hashable {
    /// The target of a pointer update.
    public enum Target: Sendable, Hashable {
        /// Outside of all destinations.
        case nowhere
        /// Over a destination; without a position, over its empty space.
        case destination(String, Spot.Position?)
    }

    /// Registers the program as a destination. If it has several tables, each is registered under this name followed by
    /// `-` and the table's name.
    case register(String)
    /// Unregisters the destinations.
    case unregister
    /// Begins a drag.
    case press(Spot)
    /// Adds items to the drag.
    case add(Spot)
    /// Moves the drag.
    case hover(Target)
    /// Prints the items of the drag.
    case items
    /// Drops the drag.
    case lift
    /// Cancels the drag.
    case cancel
    /// Adds a row to the selection; nil clears the selection.
    case select(Spot?)
    /// Begins or ends editing.
    case edit(Bool)
    /// Allows or forbids drags.
    case enable(Bool)
    /// Tries to load an item of the most recent session.
    case peek
    /// Inserts a row into the model. Its text may be empty.
    case insert(Spot, String)
    /// Removes a row from the model.
    case remove(Spot)
    /// Reloads the tables from the model.
    case reload(surface: String?)
    /// Releases the bytes of a slow item.
    case release(String)
    /// Makes a slow item fail.
    case spoil(String)
    /// Sets the progress of a slow item in per cent.
    case advance(String, Int)
    /// Cancels the load of an item.
    case stop(String)
    /// Shows another image from a file; nil removes the image.
    case image(String?)
    /// Prints the contents of the program.
    case show
    /// Waits until a line with this beginning has been printed. Each line satisfies one wait; earlier lines are used
    /// first.
    case wait(String)
    /// Waits until a destination of this name exists.
    case seek(String)
    /// Prints a text, which shows the progress of the script to a reader of the lines.
    case say(String)
    /// Ends the program.
    case quit
}
