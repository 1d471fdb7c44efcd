import PasteboardTransport

/// The programs installed on this machine.
enum Programs {
    static func installed(_ name: String) throws -> String {
        guard let path = find(name) else { throw Skip("\(name) is not installed") }
        return path
    }

    /// The path of a program, found in the same way as by the shell.
    static func find(_ name: String) -> String? {
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { (try? System.open($0)) != nil }
    }
}
