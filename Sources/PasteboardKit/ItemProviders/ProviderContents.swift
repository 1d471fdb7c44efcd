import FoundationEssentials
import PasteboardWire

/// The contents of an item provider, as a value.
struct ProviderContents: Sendable {
    /// It is a class, because each load refers to one, and a copy of its values costs more than the rest of the choice.
    final class Representation: Sendable {
        let type: UniformType
        let visibility: ItemProviderRepresentationVisibility
        /// Whether a destination may open the file in place.
        let opensInPlace: Bool
        let origin: Origin
        /// The origin, if it is a representation of another process. A load that looked for it in `origin` would copy
        /// all of that.
        let remote: RemoteRepresentation?
        /// The attributes of the file, if the provider was made for one.
        let file: FileAttributes?
        /// Whether it is a promise whose source had ended when the item was listed.
        let isGone: Bool

        init(
            _ type: UniformType,
            _ visibility: ItemProviderRepresentationVisibility = .all,
            opensInPlace: Bool = false,
            file: FileAttributes? = nil,
            isGone: Bool = false,
            origin: Origin
        ) {
            self.type = type
            self.visibility = visibility
            self.opensInPlace = opensInPlace
            self.file = file
            self.isGone = isGone
            self.origin = origin
            if case .remote(let remote) = origin { self.remote = remote } else { remote = nil }
        }

        func with(_ file: FileAttributes) -> Representation {
            Representation(type, visibility, opensInPlace: opensInPlace, file: file, isGone: isGone, origin: origin)
        }
    }

    /// The origin of a representation's bytes.
    enum Origin: Sendable {
        case handler(Registration)
        case remote(RemoteRepresentation)
        /// Text of another process in another encoding, which this process converts.
        case utf8Text(of: RemoteRepresentation)

        /// The representation of another process from which the bytes come, converted or not; nil for a handler.
        var source: RemoteRepresentation? {
            switch self {
            case .handler: nil
            case .remote(let remote), .utf8Text(of: let remote): remote
            }
        }
    }

    /// A handler of this process, and its load policy and timeout.
    struct Registration: Sendable {
        let handler: DataHandler
        let policy: LoadPolicy
        let firstByteTimeout: Duration?

        init(_ handler: DataHandler, _ policy: LoadPolicy = .everyTime, firstByteTimeout: Duration? = nil) {
            self.handler = handler
            self.policy = policy
            self.firstByteTimeout = firstByteTimeout
        }
    }

    var suggestedName: String?
    var title: String?
    var teamData: Data?
    var presentation = Presentation()
    /// The representations in the order of registration, which is the order of fidelity.
    var representations: [Representation] = []

    /// Adds a representation. One whose type is registered already keeps its position and gets the new handler.
    mutating func register(_ representation: Representation) {
        if let index = representations.firstIndex(where: { $0.type == representation.type }) {
            representations[index] = representation
        } else {
            representations.append(representation)
        }
    }
}

extension [ProviderContents.Representation] {
    /// The representations that can be loaded: without the promises of a source that has ended.
    var loadable: [Element] { contains(where: \.isGone) ? filter { !$0.isGone } : self }

    /// Returns the representation for a request for `type`: one of exactly this type, otherwise the first that conforms
    /// to it. One that is gone is returned only if nothing else fits; its load fails with an error that names the
    /// source.
    func best(for type: UniformType) -> Element? {
        let found = bestOfAll(for: type)
        guard let found, found.isGone else { return found }
        return loadable.bestOfAll(for: type) ?? found
    }

    private func bestOfAll(for type: UniformType) -> Element? {
        // Nearly always the identifiers are the same, also in case, which is quicker to compare.
        first { $0.type.identifier == type.identifier } ?? first { $0.type == type }
            ?? first { $0.type.conforms(to: type) }
    }

    /// Returns the representation for a request for one of several types. One that is gone is returned only if nothing
    /// else fits.
    func best(of accepted: [UniformType], preferring preference: LoadPreference) -> Element? {
        let found = bestOfAll(of: accepted, preferring: preference)
        guard let found, found.isGone else { return found }
        return loadable.bestOfAll(of: accepted, preferring: preference) ?? found
    }

    private func bestOfAll(of accepted: [UniformType], preferring preference: LoadPreference) -> Element? {
        switch preference {
        case .source: bestOfSource(among: accepted)
        case .reader: accepted.lazy.compactMap(bestOfAll(for:)).first
        }
    }

    /// Returns the first representation of an accepted type, in the order of the source. That order does not decide
    /// between encodings of one text: an encoding that can represent every character is preferred.
    private func bestOfSource(among accepted: [UniformType]) -> Element? {
        let isAccepted = { (found: Element) in accepted.contains(where: found.type.conforms) }
        let first = first(where: isAccepted)
        guard let first, first.type.isPlainTextInAnotherEncoding else { return first }
        let texts = filter(isAccepted)
        return UniformType.unicodeTexts.lazy.compactMap { texts.bestOfAll(for: $0) }.first ?? first
    }
}

/// The size and the style in which an item prefers to be shown. Only programs give them a meaning.
package struct Presentation: Sendable, Equatable {
    /// The size in points; zero if it is not known.
    package var width = 0.0
    package var height = 0.0
    /// The number of the style; 0: the destination decides.
    package var style: UInt32 = 0
}
