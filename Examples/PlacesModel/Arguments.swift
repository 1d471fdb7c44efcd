/// The command line of the two programs: `[--board NAME] [ARGUMENT]`.
public struct Arguments: Sendable {
    /// The name of the pasteboard.
    public var board = "general"
    /// The remaining arguments.
    public var rest: [String] = []

    /// Reads a command line without the program's name; nil if it does not have this form.
    public init?(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)[...]
        while let argument = arguments.popFirst() {
            switch argument {
            case "--board":
                guard let name = arguments.popFirst() else { return nil }
                board = name
            case _ where argument.hasPrefix("-"):
                return nil
            default:
                rest.append(argument)
            }
        }
    }
}
