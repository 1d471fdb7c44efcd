import PasteboardTransport
package import TypeIdentifiers

/// The shared-mime-info database as it lies on the disk: one directory of a user's own, and those of the system.
///
/// What is in them was written by whoever installed some program: lines that are not as the specification has them are
/// passed over, and files are read up to a size far above any real one.
package struct MimeDatabase: Sendable {
    private static let directoryLimit = 32
    private static let fileLimit = 1 << 22

    /// The first one counts most.
    private let directories: [String]

    package init(environment: ProcessEnvironment = ProcessEnvironment()) {
        let home = environment["HOME"].map { "\($0)/.local/share" }
        let system = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let bases = [environment["XDG_DATA_HOME"] ?? home ?? ""] + system.split(separator: ":").map(String.init)
        // The base directory specification has relative paths ignored.
        self.directories = bases.filter { $0.hasPrefix("/") }.prefix(Self.directoryLimit).map { "\($0)/mime" }
    }

    /// Reads the files; nil where there are none.
    package func read() -> SharedMimeInfo? {
        var (types, subclasses) = ([String](), [(mimeType: String, parent: String)]())
        var aliases: [(alias: String, mimeType: String)] = []
        var globs = MimeGlobs()
        for directory in self.directories {
            types += Self.lines(of: "\(directory)/types").map(Self.text)
            aliases += Self.pairs(of: "\(directory)/aliases").map { (alias: $0, mimeType: $1) }
            subclasses += Self.pairs(of: "\(directory)/subclasses").map { (mimeType: $0, parent: $1) }
            globs.add(lines: Self.lines(of: "\(directory)/globs2"))
        }
        if types.isEmpty && aliases.isEmpty && subclasses.isEmpty && globs.all.isEmpty { return nil }
        return SharedMimeInfo(types: types, aliases: aliases, subclasses: subclasses, globs: globs.all)
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Two names and a space between them on each line.
    private static func pairs(of path: String) -> [(String, String)] {
        self.lines(of: path).compactMap { line in
            let names = line.split(separator: UInt8(ascii: " "))
            return names.count == 2 ? (self.text(names[0]), self.text(names[1])) : nil
        }
    }

    /// Bytes, since to look for characters in them takes longer than all the rest.
    private static func lines(of path: String) -> [ArraySlice<UInt8>] {
        guard let contents = try? self.contents(of: path) else { return [] }
        return contents.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }
    }

    /// Nothing that is not a regular file: a pipe in its place would hold the caller for ever.
    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        let file = try System.open(path, [.nonBlocking])
        guard try System.status(of: file.raw).kind == .regular else { return [] }
        var contents: [UInt8] = []
        while contents.count < self.fileLimit {
            let piece = try System.read(file.raw, upTo: 1 << 16)
            if piece.isEmpty { break }
            contents += piece
        }
        return contents
    }
}
