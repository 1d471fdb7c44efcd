package import PasteboardWire
package import TypeIdentifiers

extension Item {
    /// An item without representations.
    package init(suggestedName: String?, title: String? = nil) {
        self.init()
        (self.suggestedName, self.title) = (suggestedName, title)
    }
}

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

extension Load {
    /// A load of one item.
    ///
    /// - Parameter handle: the publication; nil for the present contents of a board.
    package init(_ handle: UInt64?, item: UInt32? = nil, accepts: [Accept]) {
        self.init()
        (self.handle, self.item, self.accepts) = (handle, item, accepts)
    }
}

extension Clear {
    /// A clear of a board, on the condition that it is at a change count, if there is one.
    package init(_ board: String?, ifChangeCount: UInt64? = nil) {
        self.init()
        (self.board, self.ifChangeCount) = (board, ifChangeCount)
        if ifChangeCount != nil { requires = [Feature.condition.rawValue] }
    }
}
