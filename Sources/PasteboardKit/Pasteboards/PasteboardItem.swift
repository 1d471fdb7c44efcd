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
        /// How many bytes it has; nil while that is not known.
        public let byteCount: Int64?
        /// Where its bytes were when it was listed.
        public let state: State
    }

    /// The item's place in the contents, from 0.
    public let id: Int
    /// What the item is loaded from. It stands for the source's own provider.
    public let itemProvider: ItemProvider
    /// The types it can be had as, best first.
    public let representations: [Representation]

    init(_ item: Item, at index: Int, of handle: UInt64, connection: PasteboardConnection, link: Link) {
        let types = item.representations.map { UniformType(received: $0) }
        id = index
        representations = zip(item.representations, types).map { message, type in
            Representation(
                type: type,
                byteCount: message.byteCount.map { Int64(clamping: $0) },
                state: State(provision: message.provision)
            )
        }
        itemProvider = ItemProvider(
            ProviderContents(
                suggestedName: item.suggestedName,
                representations: types.map { type in
                    ProviderContents.Representation(
                        type: type,
                        visibility: .all,
                        origin: .remote(
                            RemoteRepresentation(
                                connection: connection,
                                link: link,
                                handle: handle,
                                item: index,
                                type: type
                            )
                        )
                    )
                }
            )
        )
    }

    private typealias State = Representation.State
}

extension PasteboardItem.Representation.State {
    fileprivate init(provision: UInt32?) {
        switch provision ?? 0 {
        case 0: self = .promised
        case 1: self = .kept
        default: self = .gone
        }
    }
}

extension UniformType {
    /// What the publisher says of a type stays with the value; nothing of it enters this process's declarations.
    fileprivate init(received message: PasteboardWire.Representation) {
        if message.supertypes.isEmpty {
            self.init(importedAs: message.type)
        } else {
            self.init(identifier: message.type, supertypes: message.supertypes)
        }
    }
}
