import Glibc

/// The command line of a program: options with a value, and switches.
public struct StageArguments: Sendable {
    private var values: [String: String] = [:]
    private var switches: Set<String> = []

    /// Reads a command line without the program's name. Each program has `--script FILE` and `--timeout SECONDS`.
    ///
    /// - Parameters:
    ///   - options: the program's own options with a value.
    ///   - switches: the program's own options without a value.
    public init(
        _ arguments: some Sequence<String>,
        options: Set<String> = [],
        switches: Set<String> = []
    ) throws(StepError) {
        let options = options.union(["--script", "--timeout"])
        var arguments = Array(arguments)[...]
        while let argument = arguments.popFirst() {
            if switches.contains(argument) {
                self.switches.insert(argument)
            } else if options.contains(argument) {
                guard let value = arguments.popFirst() else { throw StepError("\(argument) needs a value") }
                values[argument] = value
            } else {
                let known = options.union(switches).sorted().joined(separator: ", ")
                throw StepError("there is no option \(argument); there are \(known)")
            }
        }
    }

    /// The value of an option, if it was given.
    public subscript(option: String) -> String? { values[option] }

    /// Whether a switch was given.
    public func has(_ name: String) -> Bool { switches.contains(name) }

    /// The names of tables or views listed by an option. If the option was not given, there is one without a name.
    ///
    /// - Throws: if a step could not contain a name, or if two names are equal.
    public func names(_ option: String) throws(StepError) -> [String?] {
        guard let value = values[option] else { return [nil] }
        let names = value.split(separator: ",", omittingEmptySubsequences: false)
        for name in names {
            guard !name.isEmpty, !name.contains(where: \.isWhitespace), name != "none", Spot.Position(name) == nil
            else {
                throw StepError("\(option) takes names with commas between them, and \"\(name)\" is not one for a step")
            }
        }
        guard Set(names).count == names.count else { throw StepError("\(option) has a name twice: \(value)") }
        return names.map(String.init)
    }

    /// The timeout of the steps that wait.
    func timeout() throws(StepError) -> Duration {
        guard let text = values["--timeout"] else { return .seconds(60) }
        guard let seconds = Int(text), 1...86_400 ~= seconds else {
            throw StepError("--timeout takes a number of seconds, 1 to 86400, not \(text)")
        }
        return .seconds(seconds)
    }

    /// Redirects standard input to the script file, if one was named.
    func openScript() throws(StepError) {
        guard let path = values["--script"] else { return }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { throw unreadable(path, errno) }
        // A directory can be opened, but has no lines.
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
        guard dup2(file, STDIN_FILENO) >= 0 else { throw unreadable(path, errno) }
        close(file)
    }

    private func unreadable(_ path: String, _ number: Int32) -> StepError {
        StepError("the script \(path) cannot be read: \(String(cString: strerror(number)))")
    }
}
