/// What reaches a program from its terminal and from whoever sends it signals, in the order it came.
public enum TerminalEvent: Sendable, Equatable {
    /// A key was pressed.
    case key(Key)
    /// The terminal has another size.
    case resized
    /// The program is to stop for a while.
    case suspended
    /// It goes on after a stop: the screen may show anything.
    case resumed
    /// The terminal is gone.
    case closed
    /// Somebody wants the program to end: the number of the signal.
    case signalled(Int32)
}
