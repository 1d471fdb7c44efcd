/// Why there is no terminal to draw on.
public struct TerminalError: Error, CustomStringConvertible {
    /// What was missing, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
