import PasteboardClient
import PasteboardWire

/// One item of a pasteboard or a drop, as a destination sees it.
public struct PasteboardItem: Sendable, Identifiable {
    /// One type in which the item can be loaded.
    public struct Representation: Sendable {
        /// The state of a representation's bytes.
        public enum State: Sendable {
            /// The source produces them when they are loaded.
            case promised
            /// The broker holds them.
            case kept
            /// Their source has ended, so they can no longer be loaded.
            case gone
        }

        /// The type.
        public let type: UniformType
        /// Whether this library derives it from another representation. Text in another encoding can also be loaded as
        /// UTF-8.
        public let isDerived: Bool
        /// The number of bytes; nil if it is unknown.
        public let byteCount: Int64?
        /// The state of its bytes at the time of the listing.
        public let state: State
    }

    /// The item's index in the contents, from 0.
    public let id: Int
    /// The item provider that loads the item. It represents the source's own provider.
    public let itemProvider: ItemProvider
    /// The types in which the item can be loaded, best first.
    public let representations: [Representation]
    /// The types in which the item can be loaded, best first, without those of a source that has ended.
    public var types: [UniformType] { representations.filter { $0.state != .gone }.map(\.type) }

    /// - Parameters:
    ///   - window: the window of the drop to which the item belongs; nil for an item of a pasteboard.
    init(
        _ item: Item,
        at index: Int,
        of listed: ContentsName,
        connection: PasteboardConnection,
        live: BrokerConnection,
        window: DropWindow? = nil
    ) {
        id = index
        var contents = ProviderContents(item)
        var representations: [Representation] = []
        for message in item.representations {
            let type = UniformType(received: message)
            let remote = RemoteRepresentation(
                type,
                of: listed,
                item: index,
                firstByteMilliseconds: message.firstByteMilliseconds,
                connection: connection,
                live: live,
                window: window
            )
            let representation = ProviderContents.Representation(
                type,
                ItemProviderRepresentationVisibility(rawValue: Int((message.visibility ?? .absent).rawValue)) ?? .all,
                opensInPlace: message.fileOptions?.contains(.openInPlace) ?? false,
                file: message.file,
                isGone: State(provision: message.provision) == .gone,
                origin: .remote(remote)
            )
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
            let state = representations[text.origin].state
            contents.representations.append(text.entry)
            representations.append(Representation(type: text.entry.type, isDerived: true, byteCount: nil, state: state))
        }
        itemProvider = ItemProvider(contents)
        self.representations = representations
    }

    /// Returns a UTF-8 representation for an item that has text in other encodings only. It follows all representations
    /// of the source.
    private static func utf8Text(
        from native: [ProviderContents.Representation]
    ) -> (entry: ProviderContents.Representation, origin: Int)? {
        guard !native.contains(where: { $0.type.conforms(to: .utf8PlainText) }) else { return nil }
        let texts = native.filter { $0.type.conforms(to: .plainText) && $0.type.hasForeignEncoding }
            .filter { TextReader.reads($0.type) }
        guard let text = texts.best(of: [.plainText], preferring: .source), let remote = text.remote,
            let index = native.firstIndex(where: { $0 === text })
        else { return nil }
        let origin = ProviderContents.Origin.utf8Text(of: remote)
        return (ProviderContents.Representation(.utf8PlainText, isGone: text.isGone, origin: origin), index)
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
    /// Makes the type of a received representation. A type that this process has declared has its own supertypes, so
    /// that it is the same type everywhere in the process. Otherwise the supertypes in the message apply to this value
    /// only; they do not become declarations of this process.
    fileprivate init(received message: PasteboardWire.Representation) {
        let type = UniformType(identifier: message.type, supertypes: message.supertypes)
        // A dynamic identifier describes its type by itself, also to the broker, which has no MIME database.
        if type.isDynamic {
            self = type
        } else if message.supertypes.isEmpty {
            self = UniformType(importedAs: message.type)
        } else {
            self = UniformType(message.type) ?? type
        }
    }
}
