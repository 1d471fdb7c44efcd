import PasteboardClient
import PasteboardWire

/// A named container that all programs of the user share. It holds the items of the last write.
public struct Pasteboard: Sendable {
    /// A pasteboard's name: 1 to 255 bytes of UTF-8, without `/` and control characters.
    public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name as text.
        public let rawValue: String

        /// Makes a name. The first use of the name fails if it is invalid.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a name. The first use of the name fails if it is invalid.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a name. The first use of the name fails if it is invalid.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// The pasteboard for copy and paste.
        public static let general: Name = "general"
        /// The text that was last searched for.
        public static let find: Name = "find"
        /// The current selection.
        public static let primary: Name = "primary"
        /// The contents of a drag.
        public static let drag: Name = "drag"
    }

    /// The pasteboard for copy and paste, at the user's own broker.
    public static var general: Pasteboard { Pasteboard(name: .general) }

    /// The name.
    public let name: Name
    /// The connection to the broker that has the pasteboard.
    public let connection: PasteboardConnection
    /// The pasteboard's existence, if ``unique(connection:timeout:)`` has made it.
    let board: UniqueBoard?
    /// Whether the pasteboard ends with its values.
    package var isUnique: Bool { board != nil }
}

extension Pasteboard {
    /// Names a pasteboard. The pasteboard exists as soon as a program writes to it.
    public init(name: Name, connection: PasteboardConnection = .shared) {
        self.init(name: name, connection: connection, board: nil)
    }

    /// Whether both name one pasteboard of one broker. Over two connections that is known once both are connected.
    package func isSame(as other: Pasteboard) -> Bool {
        name == other.name
            && (connection === other.connection || connection.epoch.map { $0 == other.connection.epoch } ?? false)
    }

    /// Makes a request as ``PasteboardConnection/recovering(_:for:_:)`` does. A unique pasteboard ends with its
    /// connection.
    func recovering<Value>(
        _ verb: Recovery.Verb = .read,
        for call: Call,
        _ request: (BrokerConnection) async throws -> sending Value
    ) async throws(PasteboardError) -> sending Value {
        try board?.check()
        return try await connection.recovering(board == nil ? verb : .bound, for: call, request)
    }
}
