/// One word of the command line.
protocol Command {
    static var syntax: CommandSyntax { get }

    /// Checks what the parser cannot: that the options fit each other, and what their values mean.
    init(_ arguments: ParsedArguments) throws

    /// Returns the exit code.
    func run() throws -> CInt
}
