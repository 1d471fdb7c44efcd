import Glibc

/// A string of the operating system: a path, a file name or an argument of a program.
///
/// It consists of bytes without NUL that need not be UTF-8. Decoded as text and encoded again, it might name another
/// file.
package struct SystemString: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Takes the bytes up to the first NUL, where the system would end the string.
    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes.prefix { $0 != 0 })
    }

    package init(_ text: some StringProtocol) {
        self.init(text.utf8)
    }

    /// The string as text; nil if it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    package var isEmpty: Bool { bytes.isEmpty }

    package static func + (left: SystemString, right: SystemString) -> SystemString {
        SystemString(left.bytes + right.bytes)
    }
}

extension SystemString: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        self.init(text)
    }
}

extension SystemString: CustomStringConvertible {
    /// One part of the string: a scalar, or a byte that is not UTF-8.
    package enum Part: Sendable {
        case scalar(Unicode.Scalar)
        case byte(UInt8)
    }

    package var parts: [Part] {
        var parts: [Part] = []
        var rest = bytes[...]
        while let first = rest.first {
            var parser = Unicode.UTF8.ForwardParser()
            var iterator = rest.makeIterator()
            if case .valid(let scalar) = parser.parseScalar(from: &iterator) {
                parts.append(.scalar(Unicode.UTF8.decode(scalar)))
                rest = rest.dropFirst(scalar.count)
            } else {
                parts.append(.byte(first))
                rest = rest.dropFirst()
            }
        }
        return parts
    }

    /// The string for messages. Bytes that are not UTF-8 are shown as `\xNN`.
    package var description: String { text ?? text { String($0) } }

    /// The string for programs, which can restore the bytes, as `printf %b` of bash does: bytes that are not UTF-8 are
    /// written as `\xNN`, and a backslash as `\\`.
    package var escaped: String { text { $0 == "\\" ? "\\\\" : String($0) } }

    private func text(_ shown: (Unicode.Scalar) -> String) -> String {
        parts.map { part in
            switch part {
            case .scalar(let scalar): shown(scalar)
            case .byte(let byte): "\\x" + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

// MARK: Paths

extension System {
    /// The path of the directory that contains a path's last component; `.` if the path names none.
    package static func directory(of path: String) -> String { SystemString(path).directory.description }
}

extension SystemString {
    private static let slash = UInt8(ascii: "/")

    /// The last component of a path, without slashes after it; nil for the empty path and `/`.
    package var lastComponent: SystemString? {
        let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? 0
        let name = bytes[..<end].suffix(while: { $0 != Self.slash })
        return name.isEmpty ? nil : SystemString(name)
    }

    /// The path of the directory that contains a path's last component; `.` if the path names none.
    package var directory: SystemString {
        let end = bytes.lastIndex { $0 != Self.slash }.map { $0 + 1 } ?? 0
        guard let slash = bytes[..<end].lastIndex(of: Self.slash) else { return end == 0 && !isEmpty ? "/" : "." }
        let last = bytes[..<slash].lastIndex { $0 != Self.slash }
        return last.map { SystemString(bytes[...$0]) } ?? "/"
    }

    /// Whether this is the name of an entry of a directory, and not a path that leads elsewhere.
    package var isName: Bool { !isEmpty && self != "." && self != ".." && !bytes.contains(Self.slash) }

    /// Whether a path begins at the root.
    package var isAbsolute: Bool { bytes.first == Self.slash }

    package func appending(_ component: SystemString) -> SystemString {
        bytes.last == Self.slash ? self + component : self + "/" + component
    }
}

extension ArraySlice<UInt8> {
    fileprivate func suffix(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !belongs($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}

/// A path for calls of the system: text, or bytes that need not be UTF-8.
package protocol SystemPath: CustomStringConvertible, Sendable {
    /// Calls the closure with the path as a C string.
    func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result
}

extension String: SystemPath {
    package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        withCString(body)
    }
}

extension SystemString: SystemPath {
    package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        // Every byte is a valid character of C. The array is not empty, and outlives the call.
        (bytes + [0]).withUnsafeBytes { bytes in
            body(bytes.assumingMemoryBound(to: CChar.self).baseAddress.unsafelyUnwrapped)
        }
    }
}
