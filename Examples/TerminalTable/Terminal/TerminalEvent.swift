/// Key presses and signals, in the order in which they arrive.
public enum TerminalEvent: Sendable, Equatable {
    /// A key was pressed.
    case key(Key)
    /// The size of the terminal has changed.
    case resized
    /// The program has to stop until it is continued.
    case suspended
    /// The program was continued after a stop. The contents of the screen are unknown.
    case resumed
    /// The terminal was closed.
    case closed
    /// A signal that ends the program was received.
    case signalled(Int32)
}
