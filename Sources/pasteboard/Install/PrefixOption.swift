import PasteboardTransport

extension CommandSyntax.Option {
    static let prefix = Self("--prefix", value: "DIR", "the directory above bin and share; by default ~/.local")
}

extension ParsedArguments {
    /// `~/.local`; nil if the home directory is unknown.
    static var standardPrefix: String? {
        System.environment("HOME").flatMap { $0.hasPrefix("/") ? "\($0)/.local" : nil }
    }

    /// The absolute path of the directory above `bin` and `share`, without a slash at its end.
    func prefix() throws -> String {
        guard var prefix = try value("--prefix") else {
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
        guard prefix.hasPrefix("/") else {
            throw CommandFailure(
                usage: "invalid prefix '\(prefix)'; write an absolute path, such as --prefix /usr/local"
            )
        }
        // A newline would add lines to the unit that contains the prefix.
        guard VisibleText.line(prefix) == prefix else {
            throw CommandFailure(usage: "invalid prefix '\(prefix)'; write a path without control characters")
        }
        while prefix.hasSuffix("/"), prefix.count > 1 { prefix.removeLast() }
        return prefix
    }
}
