/// A row of a table of `placeholders`, and the way in which its bytes are sent.
public struct Parcel: Sendable, Hashable {
    /// The way in which a parcel's bytes are sent.
    public enum Kind: String, Sendable, CaseIterable {
        /// Immediately. Within this process the parcel itself is handed over, without bytes.
        case plain
        /// When the script releases them.
        case slow
        /// Never: the handler fails.
        case failing
    }

    /// The way in which its bytes are sent.
    public let kind: Kind
    /// The name.
    public let name: String

    /// Makes a parcel.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Reads `slow crate` or `failing vase`; a name alone is a plain parcel.
    public init(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        if words.count == 2, let kind = Kind(rawValue: String(words[0])) {
            self.init(kind, String(words[1]))
        } else {
            self.init(.plain, text)
        }
    }
}

extension Parcel: CustomStringConvertible {
    /// The name, preceded by the kind if it is not plain.
    public var description: String { kind == .plain ? name : "\(kind.rawValue) \(name)" }
}
