// Identifiers and tags are compared byte for byte, but without ASCII case. The operator `==` of `String` compares by
// Unicode equivalence, which other implementations of the protocol would have to reproduce exactly.

extension UInt8 {
    var foldedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether both have the same bytes, ignoring ASCII case.
    func equalsFolded(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] {
            guard self[index].foldedASCII == other[index].foldedASCII else { return false }
        }
        return true
    }

    /// Whether this precedes `other` in the order of the folded bytes.
    func precedesFolded(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) {
            let (mine, theirs) = (self[index].foldedASCII, other[index].foldedASCII)
            if mine != theirs { return mine < theirs }
        }
        return count < other.count
    }
}

extension String {
    /// The string with ASCII capitals as lower-case letters. A string without capitals is returned unchanged.
    var foldedASCII: String {
        guard utf8.contains(where: { $0 != $0.foldedASCII }) else { return self }
        return String(decoding: utf8.map(\.foldedASCII), as: UTF8.self)
    }

    /// Whether the string starts with `prefix`, which must be in lower-case letters.
    func hasFoldedPrefix(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && zip(utf8, prefix.utf8).allSatisfy { $0.foldedASCII == $1 }
    }
}
