package import PasteboardTransport
package import PasteboardWire
package import TypeIdentifiers

/// A list of files in a form that file managers exchange.
///
/// A path means nothing on another machine or in another container. So an item records the boot and the mount namespace
/// in which its paths are valid, in its team data. Only there are copied files also offered as lists, and lists pasted
/// as files.
package struct FileList {
    /// The forms, by their MIME types, the one that programs prefer first.
    package static let types = ["x-special/gnome-copied-files", "text/uri-list"].compactMap(UniformType.undeclared)
    package static var accepts: [Accept] { types.map { Accept($0.identifier) } }
    /// The type that a list has, too, if the other items are its files. It crosses links, and has no bytes.
    package static let followed = UniformType.undeclared(mimeType: "application/x-pasteboard-listed-files")
    private static var gnome: UniformType? { types.first }
    private static let prefix = Array("file://".utf8)

    package let paths: [SystemString]
    /// Whether the files are to be moved, as the list says.
    package var isCut = false

    /// The copied files whose paths are valid here; nil if there are none.
    package init?(of items: [Item]) {
        paths = items.compactMap { $0.fileOrigin.flatMap { $0.isHere && !$0.path.isEmpty ? $0.path : nil } }
        if paths.isEmpty { return nil }
    }

    /// Parses a list; nil if it names anything else than files of this machine.
    package init?(parsing bytes: [UInt8]) {
        var lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == 0 }
        lines.removeAll { $0.first == UInt8(ascii: "#") }
        if let verb = lines.first, ["cut", "copy"].contains(where: { verb.elementsEqual($0.utf8) }) {
            isCut = verb.elementsEqual("cut".utf8)
            lines.removeFirst()
        }
        let paths = lines.map(Self.path)
        guard !paths.isEmpty, !paths.contains(nil) else { return nil }
        var known: Set<SystemString> = []
        self.paths = paths.compactMap(\.self).filter { known.insert($0).inserted }
    }

    /// The list in the form of `type`.
    package func bytes(as type: UniformType) -> [UInt8] {
        let lines = paths.map { Self.prefix + Self.escaped($0) }
        guard type == Self.gnome else { return Array(lines.joined(separator: "\r\n".utf8)) + Array("\r\n".utf8) }
        return Array(([Array("copy".utf8)] + lines).joined(separator: "\n".utf8))
    }

    /// The path of a URL; nil if it is not that of a file, or names another machine.
    private static func path(_ line: ArraySlice<UInt8>) -> SystemString? {
        guard line.starts(with: prefix) else { return nil }
        let rest = line.dropFirst(prefix.count)
        let host = SystemString(rest.prefix { $0 != UInt8(ascii: "/") })
        guard ["", "localhost"].contains(host) else { return nil }
        var bytes: [UInt8] = []
        var tail = rest.dropFirst(host.bytes.count)
        while let byte = tail.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: tail.prefix(2), as: UTF8.self)
            guard digits.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            tail = tail.dropFirst(2)
        }
        return bytes.isEmpty || bytes.contains(0) ? nil : SystemString(bytes)
    }

    private static func escaped(_ path: SystemString) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return path.bytes.flatMap { byte in
            let isLetter = 0x61...0x7A ~= byte | 0x20 && byte < 0x80
            guard !isLetter, !"/-._~0123456789".utf8.contains(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}

/// The mount namespace in which the paths of an item are valid, and the path of a copied file, which is empty for a
/// list.
package struct FileOrigin {
    private static let mark = "file"

    package let namespace: SystemString
    package let path: SystemString

    /// The namespace of this process; nil if it cannot be read.
    private static let here = namespace(of: "self")

    /// The mount namespace of a process, which is one of this boot of the machine.
    private static func namespace(of process: String) -> SystemString? {
        guard let boot = try? System.contents(of: "/proc/sys/kernel/random/boot_id"),
            let namespace = try? System.linkTarget("/proc/\(process)/ns/mnt")
        else { return nil }
        return SystemString(boot.prefix { $0 != UInt8(ascii: "\n") }) + " " + namespace
    }

    /// Whether a running process is this program, and has this mount namespace: a peer can send any origin.
    package static func isHere(process: UInt32?) -> Bool {
        guard let process, here == namespace(of: "\(process)"),
            let mine = try? System.open("/proc/self/exe", .nameOnly),
            let other = try? System.open("/proc/\(process)/exe", .nameOnly),
            let status = try? System.status(of: mine.raw)
        else { return false }
        return (try? System.status(of: other.raw))?.isSameFile(as: status) ?? false
    }

    package var isHere: Bool { namespace == Self.here }

    /// - Parameter path: the path as the user wrote it; empty for a list.
    package init?(path: SystemString) {
        guard let here = Self.here else { return nil }
        namespace = here
        let directory = path.isEmpty || path.isAbsolute ? "" : try? System.linkTarget("/proc/self/cwd")
        guard let directory else { return nil }
        self.path = directory.isEmpty ? path : directory.appending(path)
    }

    fileprivate init?(teamData: [UInt8]) {
        let parts = teamData.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual(Self.mark.utf8) else { return nil }
        (namespace, path) = (SystemString(parts[1]), SystemString(parts[2]))
    }

    package var teamData: [UInt8] { Array(Self.mark.utf8) + [0] + namespace.bytes + [0] + path.bytes }
}

extension Item {
    fileprivate var fileOrigin: FileOrigin? { teamData.flatMap(FileOrigin.init(teamData:)) }

    /// Whether the item is a list of files.
    package var hasListOfFiles: Bool {
        representations.contains { FileList.types.contains(UniformType(of: $0)) }
    }

    /// Whether the item is a list of files whose paths are valid here.
    package var isListOfFiles: Bool { fileOrigin?.isHere == true && hasListOfFiles }
}

extension [Item] {
    /// Whether the first item is a list, and the others are its files, as a bridge to a desktop promises them.
    package var beginWithTheirList: Bool {
        count > 1 && self[0].representations.contains { UniformType(of: $0) == FileList.followed }
    }

    /// The positions of the items that are pasted as files. Where the paths of a list are valid, the list is, because
    /// it needs no other process; elsewhere its files are, unless they are gone.
    package var positionsOfFiles: Range<Int> {
        guard beginWithTheirList else { return indices }
        let areGone = dropFirst().allSatisfy { $0.representations.allSatisfy { $0.provision == .gone } }
        return self[0].isListOfFiles || areGone ? 0..<1 : 1..<count
    }
}
