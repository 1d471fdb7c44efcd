import PasteboardTransport

/// Programs of this machine.
enum Programs {
    static func installed(_ name: String) throws -> String {
        guard let path = find(name) else { throw Skip("\(name) is not installed") }
        return path
    }

    /// As the shell finds them.
    static func find(_ name: String) -> String? {
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { (try? System.open($0)) != nil }
    }
}
