import PasteboardClient
import PasteboardWire

/// A named place that all programs of the user share, and that holds the items of the last write.
public struct Pasteboard: Sendable {
    /// A pasteboard's name: 1 to 255 bytes of UTF-8, without `/` and control characters.
    public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name as text.
        public let rawValue: String

        /// Makes a name; whether it is valid is told by the first use.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a name; whether it is valid is told by the first use.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// What programs copy to and paste from.
        public static let general: Name = "general"
        /// What was searched for last.
        public static let find: Name = "find"
        /// What is selected.
        public static let primary: Name = "primary"
        /// What is dragged.
        public static let drag: Name = "drag"
    }

    /// The pasteboard that programs copy to and paste from, of the user's own broker.
    public static var general: Pasteboard { Pasteboard(name: .general) }

    /// The name.
    public let name: Name
    /// The way to the broker that has it.
    public let connection: PasteboardConnection

    /// Names a pasteboard, which exists as soon as somebody writes to it.
    public init(name: Name, connection: PasteboardConnection = .shared) {
        self.name = name
        self.connection = connection
    }

    /// Replaces the contents by promises: nothing of the items is made before somebody loads it.
    ///
    /// All items appear at once. The promises hold as long as this process and its connection, and until somebody writes
    /// or clears. Representations that only this process may see are left out, and so is an item that has no others.
    ///
    /// - Throws: what refused the write; then the pasteboard holds what it held before. If the task is cancelled,
    ///   `cancelled`; then nothing of the items can be loaded.
    @discardableResult
    public func write(_ providers: [ItemProvider]) async throws(PasteboardError) -> Publication {
        var items: [ProviderContents] = []
        for provider in providers {
            if let item = try provider.contents.published() { items.append(item) }
        }
        guard !items.isEmpty else {
            throw PasteboardError(
                .invalidArgument,
                message: "no item has a representation that other processes may see; clear() empties a pasteboard"
            )
        }
        let link = try await connection.link()
        let request = WriteRequest(items)
        let board = name.rawValue
        let changeCount = try await request.reply.value {
            if request.reply.resolve(.failure(.cancelled)) { link.cancel(request) }
        } start: {
            link.open(request) { state throws(Failure) in try request.send(board: board, &state) }
        }
        return Publication(changeCount: changeCount, request: request, connection: connection)
    }

    /// Empties the pasteboard.
    ///
    /// - Returns: the change count that it has then.
    /// - Throws: what refused it. If the task is cancelled, `cancelled`; then it may have been done or not.
    @discardableResult
    public func clear() async throws(PasteboardError) -> ChangeCount {
        let link = try await connection.link()
        let request = ClearRequest()
        var clear = Clear()
        clear.board = name.rawValue
        return try await request.reply.value {
            if request.reply.resolve(.failure(.cancelled)) { link.cancel(request) }
        } start: {
            link.open(request) { [clear] state throws(Failure) in try state.open(clear) }
        }
    }

    /// What is there, and the change count it is bound to: one consistent view. It loads nothing.
    ///
    /// An empty pasteboard has no items, and that is no error.
    public func contents() async throws(PasteboardError) -> Contents {
        let link = try await connection.link()
        let request = ListRequest()
        var list = List()
        list.board = name.rawValue
        let listing = try await request.reply.value {
            if request.reply.resolve(.failure(.cancelled)) { link.cancel(request) }
        } start: {
            link.open(request) { [list] state throws(Failure) in try state.open(list) }
        }
        return Contents(listing, connection: connection, link: link)
    }
}
