import PasteboardTransport

/// A cookie that an X server asks for, from the file of `xauth`.
struct X11Authority {
    static let cookie = Array("MIT-MAGIC-COOKIE-1".utf8)

    let name: [UInt8]
    let data: [UInt8]

    /// Neither name nor data: for servers that ask for none.
    static let none = X11Authority(name: [], data: [])

    /// The family of an entry for the machine that its address names, and that of an entry for all machines.
    private static let (local, wild): (UInt16, UInt16) = (256, 65_535)

    /// The entry for a display of this machine; `none` if there is none.
    static func find(display number: Int) -> X11Authority {
        let path = System.environment("XAUTHORITY") ?? System.environment("HOME").map { "\($0)/.Xauthority" }
        guard let path, let bytes = try? System.contents(of: path, limit: 1 << 20) else { return none }
        let host = (try? System.contents(of: "/proc/sys/kernel/hostname", limit: 1 << 10)) ?? []
        return find(in: bytes, display: number, host: host.filter { $0 != UInt8(ascii: "\n") })
    }

    /// - Parameter host: the name of this machine. Its entry comes before others: several machines may share a file.
    ///   A container may have another name, so any entry is used if none is that of this machine.
    static func find(in bytes: [UInt8], display number: Int, host: [UInt8] = []) -> X11Authority {
        var rest = bytes[...]
        func word() -> UInt16? {
            guard rest.count >= 2 else { return nil }
            defer { rest = rest.dropFirst(2) }
            return UInt16(rest[rest.startIndex]) << 8 | UInt16(rest[rest.startIndex + 1])
        }
        func part() -> [UInt8]? {
            guard let count = word().map(Int.init), rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var found = (rank: 0, authority: none)
        while let family = word(), let address = part(), let display = part(), let name = part(), let data = part() {
            guard name == cookie, display.isEmpty || display == Array("\(number)".utf8) else { continue }
            let rank = family == local && address == host ? 3 : family == wild ? 2 : 1
            // xauth appends, so the last of several is the newest.
            if rank >= found.rank { found = (rank, X11Authority(name: name, data: data)) }
        }
        return found.authority
    }
}
