import PasteboardWire

/// One item as a destination sees it.
public struct PasteboardItem: Sendable, Identifiable {
    /// One type that the item can be had as.
    public struct Representation: Sendable {
        /// Where its bytes are.
        public enum State: Sendable {
            /// They are made when they are loaded.
            case promised
            /// The broker holds them.
            case kept
            /// They could not be made when they were loaded before.
            case failed
            /// Their source has ended.
            case gone
        }

        /// The type.
        public let type: UniformType
        /// Whether this library makes it from another representation: text that is not UTF-8 can also be had as that.
        public let isDerived: Bool
        /// How many bytes it has; nil while that is not known.
        public let byteCount: Int64?
        /// Where its bytes were when it was listed.
        public let state: State
    }

    /// The item's index in the contents, from 0.
    public let id: Int
    /// What the item is loaded from. It stands for the source's own provider.
    public let itemProvider: ItemProvider
    /// The types it can be had as, best first.
    public let representations: [Representation]

    /// - Parameter scope: the drop that it is of, if it is of one.
    init(
        _ item: Item,
        at index: Int,
        of handle: UInt64,
        connection: PasteboardConnection,
        live: LiveConnection,
        scope: (any LoadScope)? = nil
    ) {
        id = index
        var contents = ProviderContents(item)
        var representations: [Representation] = []
        for message in item.representations {
            let type = UniformType(received: message)
            let remote = RemoteRepresentation(
                connection: connection,
                live: live,
                handle: handle,
                item: index,
                type: type,
                firstByteMilliseconds: message.firstByteMilliseconds,
                scope: scope
            )
            var representation = ProviderContents.Representation(
                type,
                ItemProviderRepresentationVisibility(rawValue: Int((message.visibility ?? .absent).rawValue)) ?? .all,
                fileOptions: ItemProviderFileOptions(rawValue: Int((message.fileOptions ?? []).rawValue)),
                origin: .remote(remote)
            )
            representation.file = message.file
            contents.representations.append(representation)
            representations.append(
                Representation(
                    type: type,
                    isDerived: false,
                    byteCount: message.byteCount.map { Int64(clamping: $0) },
                    state: State(provision: message.provision)
                )
            )
        }
        if let text = Self.utf8Text(from: contents.representations) {
            contents.representations.append(text.entry)
            let state = representations[text.origin].state
            representations.append(Representation(type: text.entry.type, isDerived: true, byteCount: nil, state: state))
        }
        itemProvider = ItemProvider(contents)
        self.representations = representations
    }

    /// Text that can be had in other encodings only can be had as UTF-8, too, behind everything that the source gives.
    private static func utf8Text(
        from native: [ProviderContents.Representation]
    ) -> (entry: ProviderContents.Representation, origin: Int)? {
        guard !native.contains(where: { $0.type.conforms(to: .utf8PlainText) }) else { return nil }
        for (index, representation) in native.enumerated() where representation.type.isTextInAnotherEncoding {
            guard case .remote(let remote) = representation.origin else { continue }
            return (ProviderContents.Representation(.utf8PlainText, origin: .utf8Text(of: remote)), index)
        }
        return nil
    }

    private typealias State = Representation.State
}

extension PasteboardItem.Representation.State {
    fileprivate init(provision: Provision?) {
        switch provision ?? .absent {
        case .promised: self = .promised
        case .kept: self = .kept
        default: self = .gone
        }
    }
}

extension UniformType {
    /// What the publisher says of a type stays with the value; nothing of it enters this process's declarations.
    fileprivate init(received message: PasteboardWire.Representation) {
        let type = UniformType(identifier: message.type, supertypes: message.supertypes)
        // A dynamic one says of itself what it is, to the broker, too, which knows no MIME database.
        self = message.supertypes.isEmpty && !type.isDynamic ? UniformType(importedAs: message.type) : type
    }
}

extension UniformType {
    fileprivate var isTextInAnotherEncoding: Bool {
        guard conforms(to: .plainText), let encoding = textEncodingName else { return false }
        return encoding != "UTF-8"
    }
}
