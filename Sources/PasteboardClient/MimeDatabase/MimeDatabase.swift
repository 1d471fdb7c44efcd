import PasteboardTransport
package import TypeIdentifiers

/// The shared-mime-info database on the disk: a directory of the user, and those of the system.
///
/// Files are read up to a size far above that of any real one.
package struct MimeDatabase: Sendable {
    private static let directoryLimit = 32
    private static let fileLimit: UInt64 = 1 << 22

    /// The first directory has precedence.
    private let directories: [String]

    package init(environment: ProcessEnvironment = ProcessEnvironment()) {
        let home = environment["HOME"].map { "\($0)/.local/share" }
        let system = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let bases = [environment["XDG_DATA_HOME"] ?? home ?? ""] + system.split(separator: ":").map(String.init)
        // The base directory specification says that relative paths are ignored.
        directories = bases.filter { $0.hasPrefix("/") }.prefix(Self.directoryLimit).map { "\($0)/mime" }
    }

    /// Reads the files; nil if there are none.
    package func read() -> SharedMimeInfo? {
        let files = directories.map { directory in
            var files = SharedMimeInfo.Files()
            files.types = Self.contents(of: "\(directory)/types")
            files.aliases = Self.contents(of: "\(directory)/aliases")
            files.subclasses = Self.contents(of: "\(directory)/subclasses")
            files.globs = Self.contents(of: "\(directory)/globs2")
            return files
        }.filter { !$0.isEmpty }
        return files.isEmpty ? nil : SharedMimeInfo(files)
    }

    /// The contents of a regular file; empty if there is none. Reading a pipe could block the caller forever.
    private static func contents(of path: String) -> [UInt8] {
        guard let file = try? System.open(path, [.nonBlocking]), let status = try? System.status(of: file.raw),
            status.kind == .regular
        else { return [] }
        return (try? System.bytes(of: file.raw, from: 0, count: Int(min(status.size, fileLimit)))) ?? []
    }
}
