import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The existence of a pasteboard with a unique name. The broker removes the pasteboard when this object is released.
final class UniqueBoard: Sendable {
    let name: String
    /// Open for the lifetime of the board.
    private let stream: BrokerStream
    private let isReleased = Lock(false)

    /// Makes a pasteboard.
    init(over live: BrokerConnection, for call: Call) async throws(RequestFailure) {
        var create = CreateBoard()
        create.requires = [Feature.boards.rawValue]
        let message = create
        var stream = live.open(until: call.end) { (state) throws(Failure) in try state.open(message) }
        name = try await stream.answer(at: .request) { event in
            if case .registered(_, let registered) = event { registered.name ?? "" } else { nil }
        }
        stream.removeDeadline()
        self.stream = stream
    }

    /// Throws if the pasteboard no longer exists.
    func check() throws(PasteboardError) {
        if isReleased.withLock(\.self) {
            throw PasteboardError(.nothingHere, message: "this pasteboard was released")
        }
        guard stream.shared.isOver else { return }
        do throws(RequestFailure) { try stream.check(.standing) } catch {
            guard error.failure.code == .cancelled else { throw PasteboardError(error.failure) }
            throw PasteboardError(.nothingHere, message: "this pasteboard was removed by another program")
        }
    }

    /// Records that this program has removed the pasteboard, and ends its stream. The broker may have reported the
    /// removal before.
    func release() {
        isReleased.withLock { $0 = true }
        stream.shared.cancel()
    }
}
