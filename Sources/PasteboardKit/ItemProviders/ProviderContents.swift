import PasteboardWire

/// What an item provider holds, as a value.
struct ProviderContents: Sendable {
    struct Representation: Sendable {
        let type: UniformType
        let visibility: ItemProviderRepresentationVisibility
        let origin: Origin
    }

    /// Where the bytes of a representation come from.
    enum Origin: Sendable {
        case handler(DataHandler)
        case remote(RemoteRepresentation)
    }

    var suggestedName: String?
    /// In the order of registration, which is that of fidelity.
    var representations: [Representation] = []

    /// A type that is there already keeps its place and gets the new handler.
    mutating func register(_ representation: Representation) {
        if let index = representations.firstIndex(where: { $0.type == representation.type }) {
            representations[index] = representation
        } else {
            representations.append(representation)
        }
    }

    /// What a request for `type` is met by: the first that is this type or conforms to it.
    func representation(for type: UniformType) -> Representation? {
        representations.first { $0.type.conforms(to: type) }
    }

    /// What other processes may know of it; nil if that is nothing.
    var published: ProviderContents? {
        var published = self
        published.representations.removeAll { $0.visibility == .ownProcess }
        return published.representations.isEmpty ? nil : published
    }

    var message: Item {
        var item = Item()
        item.suggestedName = suggestedName
        item.representations = representations.map { representation in
            var message = PasteboardWire.Representation()
            message.type = representation.type.identifier
            message.supertypes = Array(representation.type.supertypeIdentifiers.prefix(WireLimits.supertypes))
            message.visibility = UInt32(representation.visibility.rawValue)
            message.provision = 0
            return message
        }
        return item
    }
}

extension ProviderContents.Representation {
    /// What makes the bytes when another process asks for them.
    var handler: DataHandler {
        switch origin {
        case .handler(let handler): handler
        case .remote(let remote): .async { try await remote.loadData(timeout: nil, progress: nil).value }
        }
    }
}
