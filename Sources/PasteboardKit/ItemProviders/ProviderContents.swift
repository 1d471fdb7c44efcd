import FoundationEssentials
import PasteboardWire

/// What an item provider holds, as a value.
struct ProviderContents: Sendable {
    struct Representation: Sendable {
        let type: UniformType
        let visibility: ItemProviderRepresentationVisibility
        let fileOptions: ItemProviderFileOptions
        let origin: Origin
        /// The attributes of the file, if the provider was made for one.
        var file: FileAttributes?

        init(
            _ type: UniformType,
            _ visibility: ItemProviderRepresentationVisibility = .all,
            fileOptions: ItemProviderFileOptions = [],
            origin: Origin
        ) {
            self.type = type
            self.visibility = visibility
            self.fileOptions = fileOptions
            self.origin = origin
        }
    }

    /// Where the bytes of a representation come from.
    enum Origin: Sendable {
        case handler(Registration)
        case remote(RemoteRepresentation)
        /// Text of another process in another encoding, which is converted here.
        case utf8Text(of: RemoteRepresentation)

        /// The drop that the item is of, if it is of one.
        var scope: (any LoadScope)? {
            switch self {
            case .handler: nil
            case .remote(let remote), .utf8Text(of: let remote): remote.scope
            }
        }

        /// What came of it could not be kept here: if it was dropped, it is to stay at its source.
        func lose() {
            switch self {
            case .handler: break
            case .remote(let remote), .utf8Text(of: let remote): remote.scope?.lose(remote.item)
            }
        }
    }

    /// A handler of this process, and how it is asked.
    struct Registration: Sendable {
        let handler: DataHandler
        let policy: LoadPolicy
        let firstByteTimeout: Duration?

        init(_ handler: DataHandler, _ policy: LoadPolicy = .everyTime, firstByteTimeout: Duration? = nil) {
            self.handler = policy == .onceAndKept ? .once(OnceHandler(handler)) : handler
            self.policy = policy
            self.firstByteTimeout = firstByteTimeout
        }
    }

    var suggestedName: String?
    var title: String?
    var teamData: Data?
    var presentationSize = Size.zero
    var presentationStyle = PreferredPresentationStyle.unspecified
    /// In the order of registration, which is that of fidelity.
    var representations: [Representation] = []

    /// Adds a representation. One whose type is registered already keeps its position and gets the new handler.
    mutating func register(_ representation: Representation) {
        if let index = representations.firstIndex(where: { $0.type == representation.type }) {
            representations[index] = representation
        } else {
            representations.append(representation)
        }
    }

    // MARK: Choosing

    /// What a request for `type` is met by: this very type, else the first that conforms to it.
    func representation(for type: UniformType) -> Representation? {
        representations.first { $0.type == type } ?? representations.first { $0.type.conforms(to: type) }
    }

    /// What a request for any of several types is met by.
    func representation(forFirstOf accepted: [UniformType], preferring preference: LoadPreference) -> Representation? {
        switch preference {
        case .source: representations.first { accepted.contains(where: $0.type.conforms) }
        case .reader: accepted.lazy.compactMap(representation(for:)).first
        }
    }
}
