/// A command of the program, such as `copy`.
protocol Command {
    static var syntax: CommandSyntax { get }

    /// Checks what the parser cannot check: whether the options can be combined, and the meaning of their values.
    init(_ arguments: ParsedArguments) throws

    /// Returns the exit code.
    func run() throws -> CInt
}
