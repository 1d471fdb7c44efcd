/// An entry of an archive in the ustar format, which need not be valid.
package struct TarMember {
    package var name: String
    /// `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` directory, `6` pipe.
    package var kind: Character
    package var link: String
    package var contents: String
    package var mode: Int

    package init(
        _ name: String,
        kind: Character = "0",
        link: String = "",
        contents: String = "",
        mode: Int = 0o755
    ) {
        (self.name, self.kind, self.link, self.contents, self.mode) = (name, kind, link, contents, mode)
    }

    package var bytes: [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        func octal(_ number: Int, _ count: Int) -> String {
            let digits = String(number, radix: 8)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        put(name, at: 0)
        put(octal(mode, 7), at: 100)
        put(octal(contents.utf8.count, 11), at: 124)
        put("00000000000", at: 136)
        put("        ", at: 148)
        put(String(kind), at: 156)
        put(link, at: 157)
        put("ustar\0" + "00", at: 257)
        put("0000000", at: 329)
        put("0000000", at: 337)
        put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
        let rest = (512 - contents.utf8.count % 512) % 512
        return header + Array(contents.utf8) + [UInt8](repeating: 0, count: rest)
    }

    /// The whole archive.
    package static func archive(_ members: [TarMember]) -> [UInt8] {
        members.flatMap(\.bytes) + [UInt8](repeating: 0, count: 1_024)
    }
}

/// Archives that try to write or read outside of their folder.
package enum HostileArchive: String, CaseIterable, Sendable {
    case absolute, parent, doubleSlash, linkThenFile, hardLink, twoFolders, onlyFile, onlyLink, empty, cut

    /// - Parameter outside: a directory that contains a directory `victim`, the target of writes, and a file `secret`,
    ///   the target of reads.
    package func bytes(_ outside: String) -> [UInt8] {
        let folder = TarMember("f/", kind: "5")
        let members: [TarMember] =
            switch self {
            case .absolute: [folder, TarMember("\(outside)/victim/x", contents: "evil")]
            case .parent: [folder, TarMember("f/../../../\(outside)/victim/x", contents: "evil")]
            case .doubleSlash: [folder, TarMember("f/\(outside)/victim/x", contents: "evil")]
            case .linkThenFile:
                [folder, TarMember("f/l", kind: "2", link: "\(outside)/victim"), TarMember("f/l/x", contents: "evil")]
            case .hardLink: [folder, TarMember("f/x", kind: "1", link: "\(outside)/secret")]
            case .twoFolders: [folder, TarMember("g/", kind: "5"), TarMember("g/x", contents: "evil")]
            case .onlyFile: [TarMember("f", contents: "evil")]
            case .onlyLink: [TarMember("f", kind: "2", link: "\(outside)/victim")]
            case .empty: []
            case .cut: [folder, TarMember("f/x", contents: String(repeating: "x", count: 5_000))]
            }
        let archive = TarMember.archive(members)
        return self == .cut ? Array(archive.prefix(3_000)) : archive
    }
}
