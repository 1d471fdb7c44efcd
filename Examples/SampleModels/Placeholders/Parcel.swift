/// A thing in a table of `placeholders`, and how its bytes are given.
public struct Parcel: Sendable, Hashable {
    /// How its bytes are given.
    public enum Kind: String, Sendable, CaseIterable {
        /// At once; and in this process it is handed over as it is, without bytes.
        case plain
        /// When the script says so.
        case slow
        /// Never: its handler fails.
        case failing
    }

    /// How its bytes are given.
    public let kind: Kind
    /// What it is called.
    public let name: String

    /// Makes a parcel.
    public init(_ kind: Kind, _ name: String) {
        self.kind = kind
        self.name = name
    }

    /// Reads `slow crate`, `failing vase`, or a name alone, which is a plain one's.
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
    /// The name, behind the kind if that is not the plain one.
    public var description: String { kind == .plain ? name : "\(kind.rawValue) \(name)" }
}
