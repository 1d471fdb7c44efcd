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
    /// or clears. Representations that only this process may see are left out.
    ///
    /// Over a connection that nothing else holds the promises last as long as the publication: keep either of the two,
    /// `let publication = try await pasteboard.write(…)`.
    ///
    /// - Parameters:
    ///   - providers: at least one, each with at least one representation that others may see; at most 512.
    ///   - timeout: when the write has to be over, connecting included. Without it, a broker that does not answer is given
    ///     up after 15 s.
    /// - Throws: what refused the write; then the pasteboard holds what it held before. `timeout`, and `cancelled` if the
    ///   task is cancelled; then nothing of the items can be loaded, and what the pasteboard held may be gone.
    @discardableResult
    public func write(
        _ providers: [ItemProvider],
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        let items = try Self.promises(of: providers)
        let call = Call("the write", timeout: timeout)
        let link = try await connection.link(for: call)
        let request = WriteRequest(items)
        let board = name.rawValue
        let changeCount = try await request.reply.value(for: call) {
            link.cancel(request)
        } start: {
            link.open(request) { state throws(Failure) in try request.send(board: board, &state) }
        }
        return Publication(
            changeCount: changeCount,
            request: request,
            board: board,
            connection: connection,
            link: link
        )
    }

    /// What is promised of items.
    private static func promises(of providers: [ItemProvider]) throws(PasteboardError) -> [ProviderContents] {
        guard !providers.isEmpty else {
            throw PasteboardError(
                .invalidArgument,
                message: "a write has at least one item; clear() empties a pasteboard"
            )
        }
        var items: [ProviderContents] = []
        for (index, provider) in providers.enumerated() {
            guard let item = try provider.contents.published() else {
                throw PasteboardError(
                    .invalidArgument,
                    message:
                        "item \(index) of the write has no representation that other processes may see: register one, "
                        + "or leave the item out"
                )
            }
            items.append(item)
        }
        return items
    }

    /// Empties the pasteboard.
    ///
    /// - Parameter timeout: when it has to be done, connecting included; by default as for a write.
    /// - Returns: the change count that it has then.
    /// - Throws: what refused it; `timeout`, and `cancelled` if the task is cancelled: then it may have been done or not.
    @discardableResult
    public func clear(timeout: Duration? = nil) async throws(PasteboardError) -> ChangeCount {
        let call = Call("the clear", timeout: timeout)
        let link = try await connection.link(for: call)
        let request = ClearRequest()
        var clear = Clear()
        clear.board = name.rawValue
        return try await request.reply.value(for: call) {
            link.cancel(request)
        } start: {
            link.open(request) { [clear] state throws(Failure) in try state.open(clear) }
        }
    }

    /// What is there, and the change count it is bound to: one consistent view. It loads nothing.
    ///
    /// An empty pasteboard has no items, and that is no error.
    ///
    /// - Parameter timeout: when the answer has to be there, connecting included; by default as for a write.
    /// - Throws: what failed; `timeout`, and `cancelled` if the task is cancelled.
    public func contents(timeout: Duration? = nil) async throws(PasteboardError) -> Contents {
        try await contents(for: Call("the list of contents", timeout: timeout))
    }

    /// As ``contents(timeout:)``, as a part of a call.
    func contents(for call: Call) async throws(PasteboardError) -> Contents {
        let link = try await connection.link(for: call)
        let request = ListRequest()
        var list = List()
        list.board = name.rawValue
        let listing = try await request.reply.value(for: call) {
            link.cancel(request)
        } start: {
            link.open(request) { [list] state throws(Failure) in try state.open(list) }
        }
        return Contents(listing, connection: connection, link: link)
    }
}
