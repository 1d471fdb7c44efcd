// Identifiers and tags compare without ASCII case and byte for byte otherwise. `String`'s own `==` compares by Unicode
// equivalence, which other implementations of the protocol would have to reproduce exactly; these do not.

extension UInt8 {
    var foldedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span<UInt8> {
    /// Whether both are the same bytes but for ASCII case.
    func equalsFolded(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] {
            guard self[index].foldedASCII == other[index].foldedASCII else { return false }
        }
        return true
    }

    /// Whether this comes before `other` in the order of the folded bytes.
    func precedesFolded(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(count, other.count) {
            let (mine, theirs) = (self[index].foldedASCII, other[index].foldedASCII)
            if mine != theirs { return mine < theirs }
        }
        return count < other.count
    }
}

extension String {
    /// With ASCII capitals made small; the string itself if it has none.
    var foldedASCII: String {
        guard utf8.contains(where: { $0 != $0.foldedASCII }) else { return self }
        return String(decoding: utf8.map(\.foldedASCII), as: UTF8.self)
    }

    /// Whether it starts with `prefix`, which is written in small letters.
    func hasFoldedPrefix(_ prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && zip(utf8, prefix.utf8).allSatisfy { $0.foldedASCII == $1 }
    }
}
