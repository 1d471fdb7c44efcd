/// An identifier as a key of sets and dictionaries, which ignores ASCII case.
package struct IdentifierKey: Hashable, Sendable {
    let identifier: String

    package init(_ identifier: String) {
        self.identifier = identifier
    }

    package static func == (left: IdentifierKey, right: IdentifierKey) -> Bool {
        Conformance.equal(left.identifier, right.identifier)
    }

    /// Hashes eight folded bytes at a time: the hasher's cost depends on the number of calls, and this runs for each
    /// name that a peer sends.
    package func hash(into hasher: inout Hasher) {
        let bytes = identifier.utf8.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index].foldedASCII)
            if index & 7 == 7 {
                hasher.combine(word)
                word = 0
            }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }
}
