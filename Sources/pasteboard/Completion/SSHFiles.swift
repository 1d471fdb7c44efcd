import PasteboardTransport

/// The machines that the user's files for ssh name.
enum SSHFiles {
    static var machines: [String] {
        let folder = "\(System.environment("HOME") ?? "")/.ssh"
        func text(_ name: String) -> String {
            String(decoding: (try? System.contents(of: "\(folder)/\(name)", limit: 1 << 20)) ?? [], as: UTF8.self)
        }
        return machines(config: text("config"), known: text("known_hosts"))
    }

    /// - Parameters:
    ///   - config: the configuration, whose names may be patterns.
    ///   - known: the keys of machines, whose names may be patterns, hashed, or written with a port, which ssh would
    ///     need as an option.
    static func machines(config: String, known: String) -> [String] {
        let configured = config.split(whereSeparator: \.isNewline).flatMap { line in
            let words = line.split { " \t=\"".contains($0) }
            return words.first?.lowercased() == "host" ? Array(words.dropFirst()) : []
        }
        let seen = known.split(whereSeparator: \.isNewline).flatMap { $0.prefix { $0 != " " }.split(separator: ",") }
        var machines: [String] = []
        for name in (configured + seen).map(String.init) where !machines.contains(name) {
            if !name.hasPrefix("-"), !name.contains(where: { "*?!|#@[".contains($0) }) { machines.append(name) }
        }
        return machines
    }
}
