package import PasteboardWire
package import TypeIdentifiers

extension UniformType {
    /// The type of a listed representation.
    package init(of representation: Representation) {
        self.init(identifier: representation.type, supertypes: representation.supertypes)
    }
}

extension [Item] {
    /// The listed representation that a load returns; nil if it was not listed.
    package func representation(of answer: Answer) -> Representation? {
        let index = Int(clamping: answer.item ?? 0)
        guard indices.contains(index) else { return nil }
        return self[index].representations.first { $0.type == answer.type }
    }
}
