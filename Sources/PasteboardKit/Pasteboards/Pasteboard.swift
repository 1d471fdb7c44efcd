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

    /// Names a pasteboard. The pasteboard exists as soon as a program writes to it.
    public init(name: Name, connection: PasteboardConnection = .shared) {
        self.name = name
        self.connection = connection
    }

    /// Replaces the contents with promises: the source produces the bytes of an item when a program loads them.
    ///
    /// All items appear at once. The promises are valid until a program writes to the pasteboard or clears it, or until
    /// this process or its connection ends. Representations that only this process may see are left out.
    ///
    /// The promises also end when neither the connection nor the publication is referenced. If you use your own
    /// connection, keep one of the two:
    ///
    ///     let publication = try await pasteboard.write(providers)
    ///
    /// - Parameters:
    ///   - providers: the items, at least one and at most 512. Each must have a representation that other processes may
    ///     see.
    ///   - timeout: the maximum duration of the write, which includes connecting. Without it, the write fails if the
    ///     broker does not answer for 15 s.
    /// - Throws: the broker's reason for refusing the write; the pasteboard then keeps its old contents. `timeout`, or
    ///   `cancelled` if the task is cancelled; then the items cannot be loaded, and the old contents may have been
    ///   removed.
    @discardableResult
    public func write(
        _ providers: [ItemProvider],
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Publication {
        let items = try Self.promises(of: providers)
        let call = Call("the write", timeout: timeout)
        let live = try await connection.liveConnection(for: call)
        let request = WriteRequest(items)
        let board = name.rawValue
        let changeCount = try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request) { state throws(Failure) in try request.send(board: board, &state) }
        }
        return Publication(
            changeCount: changeCount,
            request: request,
            board: board,
            connection: connection,
            live: live
        )
    }

    /// Returns the promises of the items, without representations that only this process may see.
    private static func promises(of providers: [ItemProvider]) throws(PasteboardError) -> [ProviderContents] {
        guard !providers.isEmpty else {
            throw PasteboardError(
                .invalidArgument,
                message: "a write needs at least one item; use clear() to empty a pasteboard"
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

    /// Clears the pasteboard.
    ///
    /// - Parameter timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Returns: the new change count.
    /// - Throws: the broker's reason for refusing the call; `timeout`, or `cancelled` if the task is cancelled: then
    ///   the pasteboard may have been cleared or not.
    @discardableResult
    public func clear(timeout: Duration? = nil) async throws(PasteboardError) -> ChangeCount {
        let call = Call("the clear", timeout: timeout)
        let live = try await connection.liveConnection(for: call)
        let request = SimpleRequest.clear()
        var clear = Clear()
        clear.board = name.rawValue
        return try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request) { [clear] state throws(Failure) in try state.open(clear) }
        }
    }

    /// Lists the items and their change count, as one consistent view. It loads nothing.
    ///
    /// For an empty pasteboard it returns no items, without an error.
    ///
    /// - Parameter timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: the error of the broker or the connection; `timeout`; `cancelled` if the task is cancelled.
    public func contents(timeout: Duration? = nil) async throws(PasteboardError) -> Contents {
        try await contents(for: Call("the list of contents", timeout: timeout))
    }

    /// Lists the items as ``contents(timeout:)`` does, as a part of another call.
    func contents(for call: Call) async throws(PasteboardError) -> Contents {
        let live = try await connection.liveConnection(for: call)
        let request = SimpleRequest.list()
        var list = List()
        list.board = name.rawValue
        let listing = try await request.result.value(for: call) {
            live.cancel(request)
        } start: {
            live.open(request) { [list] state throws(Failure) in try state.open(list) }
        }
        return Contents(listing, connection: connection, live: live)
    }
}
