import Glibc

/// The command line of a program: options with a value, and switches.
public struct StageArguments: Sendable {
    private var values: [String: String] = [:]
    private var switches: Set<String> = []

    /// Reads a command line, without the program's name. Each program has `--script FILE` and `--patience SECONDS`.
    ///
    /// - Parameters:
    ///   - options: the program's own options with a value.
    ///   - switches: those without.
    public init(
        _ arguments: some Sequence<String>,
        options: Set<String> = [],
        switches: Set<String> = []
    ) throws(StepError) {
        let options = options.union(["--script", "--patience"])
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

    /// The names that an option lists, of tables or views; one that has no name, if the option was not given.
    ///
    /// - Throws: for names that steps could not say, or not tell apart.
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

    /// How long a script waits for something.
    func patience() throws(StepError) -> Duration {
        guard let text = values["--patience"] else { return .seconds(60) }
        guard let seconds = Int(text), 1...86_400 ~= seconds else {
            throw StepError("--patience takes a number of seconds, 1 to 86400, not \(text)")
        }
        return .seconds(seconds)
    }

    /// Has standard input be the script that was named, if one was.
    func openScript() throws(StepError) {
        guard let path = values["--script"] else { return }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { throw unreadable(path, errno) }
        // It can be opened, and then has no lines.
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
        guard dup2(file, STDIN_FILENO) >= 0 else { throw unreadable(path, errno) }
        close(file)
    }

    private func unreadable(_ path: String, _ number: Int32) -> StepError {
        StepError("the script \(path) cannot be read: \(String(cString: strerror(number)))")
    }
}
