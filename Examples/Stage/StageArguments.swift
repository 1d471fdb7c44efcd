import Glibc

/// The command line of a program: options with a value, and switches.
public struct StageArguments: Sendable {
    private var values: [String: String] = [:]
    private var switches: Set<String> = []

    /// Reads a command line, without the program's name. Each program has `--script FILE`.
    ///
    /// - Parameters:
    ///   - options: the program's own options with a value.
    ///   - switches: those without.
    public init(
        _ arguments: some Sequence<String>,
        options: Set<String> = [],
        switches: Set<String> = []
    ) throws(StepError) {
        var arguments = Array(arguments)[...]
        while let argument = arguments.popFirst() {
            if switches.contains(argument) {
                self.switches.insert(argument)
            } else if argument == "--script" || options.contains(argument) {
                guard let value = arguments.popFirst() else { throw StepError("\(argument) needs a value") }
                values[argument] = value
            } else {
                throw StepError("there is no option \(argument)")
            }
        }
    }

    /// The value of an option, if it was given.
    public subscript(option: String) -> String? { values[option] }

    /// Whether a switch was given.
    public func has(_ name: String) -> Bool { switches.contains(name) }

    /// Has standard input be the script that was named, if one was.
    func openScript() throws(StepError) {
        guard let path = values["--script"] else { return }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0, dup2(file, STDIN_FILENO) >= 0 else {
            throw StepError("the script \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        close(file)
    }
}
