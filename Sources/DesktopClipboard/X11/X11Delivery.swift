import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Bytes for a program that has asked for a selection: in one property if they are few, otherwise part by part, each
/// after the program has taken the one before.
final class X11Delivery: Sendable {
    fileprivate struct State {
        var bytes: ArraySlice<UInt8> = []
        /// The number of all bytes, if it is known.
        var total: UInt64 = 0
        var isIncremental = false
        /// Whether the program has ended, or has asked for other bytes in the same property.
        var isOver = false
    }

    /// The limits of the bytes of one part, which a single request has. Programs of Tk read 400,000 at most.
    private static let parts = 4 << 10...384 << 10
    /// The bytes of the request beside those of the part, at most.
    private static let header = 64

    private let request: X11SelectionRequest
    private let type: UInt32
    private let connection: X11Connection
    private let begun: @Sendable () -> Void
    private let state = Lock(State())
    private let box: Mailbox<X11WindowEvent>
    private let part: Int

    init(
        _ request: X11SelectionRequest,
        type: UInt32,
        over connection: X11Connection,
        begun: @escaping @Sendable () -> Void
    ) {
        (self.request, self.type, self.connection, self.begun) = (request, type, connection, begun)
        box = Mailbox(on: connection.loop)
        part = max(Self.parts.lowerBound, min(Self.parts.upperBound, connection.longestRequest - Self.header))
    }

    /// Ends the delivery if it has begun to go part by part: the program has given it up, because it wants the property
    /// for something else.
    func giveUp() {
        guard state.withLock(\.isIncremental) else { return }
        state.withLock { $0.isOver = true }
        connection.forget(request.requestor, box)
        box.close()
    }

    /// Takes the number of all bytes before they come.
    func expect(_ total: UInt64) { state.withLock { $0.total = total } }

    /// Puts bytes into the property.
    func put(_ bytes: ArraySlice<UInt8>, type: UInt32, format: UInt8) {
        connection.send(
            X11Request.changeProperty(request.property, of: request.requestor, type: type, format: format, bytes)
        )
        begun()
    }

    /// Delivers the bytes that `body` passes.
    ///
    /// - Throws: what fails before the program was told anything. Later failures end the bytes of a program that has
    ///   not ended, because the protocol has no other way.
    func run(incremental: UInt32, _ body: (@escaping ByteSink) async throws -> Void) async throws {
        defer { connection.forget(request.requestor, box) }
        do {
            try await body { bytes in
                self.state.withLock { $0.append(bytes) }
                while let part = self.state.withLock({ $0.takePart(self.part) }) {
                    try await self.send(part, incremental)
                }
            }
        } catch {
            let (isIncremental, isOver) = state.withLock { ($0.isIncremental, $0.isOver) }
            guard isIncremental else { throw error }
            // Another program may have a window of this number now, or this one wants other bytes in the property.
            guard !isOver else { return }
            state.withLock { $0.bytes = [] }
        }
        let (rest, isIncremental) = state.withLock { ($0.bytes, $0.isIncremental) }
        guard isIncremental else { return put(rest, type: type, format: 8) }
        if !rest.isEmpty { try await send(rest, incremental) }
        try await send([], incremental)
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ incremental: UInt32) async throws {
        if !state.withLock({ exchange(&$0.isIncremental, with: true) }) {
            connection.watch(request.requestor, box)
            connection.send(X11Request.watch(request.requestor))
            // The number of bytes, at least. Emacs fills up with zeros what is announced or allocated beyond them.
            var least = FieldWriter()
            least.append(UInt32(clamping: max(UInt64(bytes.count), state.withLock(\.total))))
            put(least.bytes[...], type: incremental, format: 32)
        }
        let end = MonotonicClock.deadline(milliseconds: DesktopTime.stall)
        while let event = await box.next(until: end), !state.withLock(\.isOver) {
            switch event {
            case .destroyed:
                state.withLock { $0.isOver = true }
                throw Failure(.destinationGone, "the program that pastes has ended")
            case .propertyChanged(request.property, isDeleted: true, _):
                connection.send(
                    X11Request.changeProperty(request.property, of: request.requestor, type: type, format: 8, bytes)
                )
                return
            default: break
            }
        }
        try Task.checkCancellation()
        if state.withLock(\.isOver) { throw Failure(.cancelled, "the program that pastes has given it up") }
        throw Failure(.destinationStalled, "the program that pastes has taken nothing")
    }
}

extension X11Delivery.State {
    fileprivate mutating func append(_ more: [UInt8]) { if bytes.isEmpty { bytes = more[...] } else { bytes += more } }

    fileprivate mutating func takePart(_ count: Int) -> ArraySlice<UInt8>? {
        guard bytes.count > count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
