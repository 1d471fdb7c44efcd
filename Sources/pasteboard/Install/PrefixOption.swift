import PasteboardTransport

extension CommandSyntax.Option {
    static let prefix = Self("--prefix", value: "DIR", "the directory above bin and share; by default ~/.local")
    static let stage = Self("--destdir", value: "DIR", "a directory that stands for / while packaging")
}

extension ParsedArguments {
    /// `~/.local`; nil if the home directory is unknown.
    static var standardPrefix: String? {
        System.environment("HOME").flatMap { $0.hasPrefix("/") ? "\($0)/.local" : nil }
    }

    /// The absolute path of the directory above `bin` and `share`, without a slash at its end.
    func prefix() throws -> String {
        if let prefix = try directory("--prefix") { return prefix }
        guard let home = Self.standardPrefix else {
            throw CommandFailure(usage: "HOME is not set to an absolute path; write --prefix DIR")
        }
        // The user could not replace files that root has created there.
        if let owner = try System.status(at: System.directory(of: home))?.owner, owner != System.userID {
            let text = "HOME belongs to user \(owner), not to user \(System.userID); write --prefix DIR"
            throw CommandFailure(usage: text)
        }
        return home
    }

    /// The prefix in the root of a package, or the prefix itself without one.
    func stagedPrefix() throws -> String { (try directory("--destdir") ?? "") + (try prefix()) }

    private func directory(_ option: String) throws -> String? {
        // Packages pass an empty DESTDIR, too.
        guard var path = try value(option), option != "--destdir" || !["", "/"].contains(path) else { return nil }
        guard path.hasPrefix("/") else {
            throw CommandFailure(usage: "invalid value '\(path)' of \(option); write an absolute path")
        }
        // A newline would add lines to the unit that contains the prefix.
        guard VisibleText.line(path) == path else {
            throw CommandFailure(usage: "invalid value '\(path)' of \(option); write no control characters")
        }
        while path.hasSuffix("/"), path.count > 1 { path.removeLast() }
        return path
    }
}
