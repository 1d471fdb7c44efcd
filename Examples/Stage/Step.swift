/// One line of a script: what a finger does, or what the program is to do meanwhile.
public enum Step: Sendable, Hashable {
    /// Where a drag is moved to.
    public enum Target: Sendable, Hashable {
        /// Over nothing.
        case nowhere
        /// Over a destination; without a position, over its empty space.
        case destination(String, Spot.Position?)
    }

    /// Makes the program a destination, or each of its tables: then the name is followed by `-` and the table's.
    case register(String)
    /// Gives that up.
    case unregister
    /// Begins a drag.
    case press(Spot)
    /// Adds items to it.
    case add(Spot)
    /// Moves it.
    case hover(Target)
    /// Prints what is dragged.
    case items
    /// Drops it.
    case lift
    /// Withdraws it.
    case cancel
    /// Selects a row as well; nil: none is selected any more.
    case select(Spot?)
    /// Begins or ends editing.
    case edit(Bool)
    /// Lets drags begin, or not.
    case enable(Bool)
    /// Tries to load something of the session that was here last.
    case peek
    /// Changes the model: a new row, which may have no text.
    case insert(Spot, String)
    /// Changes the model: a row less.
    case remove(Spot)
    /// Has the tables forget everything but the model.
    case reload(surface: String?)
    /// Lets a slow item's bytes come.
    case release(String)
    /// Has a slow item fail instead.
    case spoil(String)
    /// Says how far a slow item is, in per cent.
    case advance(String, Int)
    /// Cancels the load of an item.
    case stop(String)
    /// Shows another image, of a file; nil: none.
    case image(String?)
    /// Prints what the program shows.
    case show
    /// Goes on once a line that begins so has been printed. Each line is found by one step, earlier ones first.
    case wait(String)
    /// Goes on once there is a destination of this name.
    case seek(String)
    /// Prints a text, so that whoever reads the lines sees how far the script is.
    case say(String)
    /// Ends the program.
    case quit
}
