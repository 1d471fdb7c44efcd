package import PasteboardTransport
package import PasteboardWire

/// The source of a representation's bytes.
package enum ByteSource {
    /// The bytes are produced when they are asked for.
    case promised
    case bytes([UInt8])
    /// A complete file in memory. The file itself is passed if the broker can keep it as it is.
    case memory(MemoryFile)
    /// Bytes that a function reads from a descriptor, such as standard input or a file. It is called when the
    /// descriptor is readable, until it returns no bytes.
    case pieces(of: CInt, next: () throws -> [UInt8])
}

/// One item of a write, and the sources of its bytes.
package struct WriteItem {
    /// The item without its representations.
    package var item: Item
    /// Each representation's `provision` follows from its source.
    package var representations: [(representation: Representation, source: ByteSource)]

    /// - Parameter item: an item without representations.
    package init(
        _ item: Item = Item(),
        representations: [(representation: Representation, source: ByteSource)]
    ) {
        self.item = item
        self.representations = representations
    }

    /// An item all of whose representations are promised.
    package init(promising item: Item) {
        self.item = item
        self.item.representations = []
        representations = item.representations.map { ($0, .promised) }
    }

    package var message: Item {
        var item = item
        for (representation, source) in representations {
            var representation = representation
            if case .promised = source {
                representation.provision = .promised
            } else {
                representation.provision = .kept
            }
            item.representations.append(representation)
            if representation.policy == .onceAndKept { item.requires = [Feature.onceAndKept.rawValue] }
        }
        return item
    }
}
