import PasteboardTransport

/// A cookie that an X server asks for, from the file of `xauth`.
struct X11Authority {
    static let cookie = Array("MIT-MAGIC-COOKIE-1".utf8)

    let name: [UInt8]
    let data: [UInt8]

    /// Neither name nor data: for servers that ask for none.
    static let none = X11Authority(name: [], data: [])

    /// The entry for a display of this machine; `none` if there is none.
    static func find(display number: Int) -> X11Authority {
        let path = System.environment("XAUTHORITY") ?? System.environment("HOME").map { "\($0)/.Xauthority" }
        guard let path, let bytes = try? System.contents(of: path, limit: 1 << 20) else { return none }
        return find(in: bytes, display: number)
    }

    static func find(in bytes: [UInt8], display number: Int) -> X11Authority {
        var rest = bytes[...]
        func part() -> [UInt8]? {
            guard rest.count >= 2 else { return nil }
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var found = none
        while rest.count >= 2 {
            // The family and the address name the machine. xauth appends, so the last of several is the newest.
            rest = rest.dropFirst(2)
            guard part() != nil, let display = part(), let name = part(), let data = part() else { break }
            if name == cookie, display.isEmpty || display == Array("\(number)".utf8) {
                found = X11Authority(name: name, data: data)
            }
        }
        return found
    }
}
