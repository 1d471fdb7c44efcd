package import PasteboardWire

extension [Item] {
    /// The representation that a load gives, as it was listed; nil if it was not.
    package func representation(of answer: Answer) -> Representation? {
        let index = Int(clamping: answer.item ?? 0)
        guard self.indices.contains(index) else { return nil }
        return self[index].representations.first { $0.type == answer.type }
    }
}
