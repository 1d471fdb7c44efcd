/// The reason why there is no terminal to draw on.
public struct TerminalError: Error, CustomStringConvertible {
    /// The missing condition, and the remedy.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
