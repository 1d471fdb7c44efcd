import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A drag session of a command: the move over its destination, the drop, and the transfer of all items.
struct DragSession: ~Copyable {
    private var publication: Publication
    private let signals: SignalBox
    private let isMove: Bool
    private var progress = DragProgress()

    init(_ publication: consuming Publication, _ signals: SignalBox, isMove: Bool) {
        self.publication = publication
        self.signals = signals
        self.isMove = isMove
    }

    /// Drops the session on the destination, and returns once it is over. Throws the reason why there was no drop.
    mutating func drop(on destination: String) async throws -> DragProgress {
        let first: UInt64 = 1
        var location = Location()
        location.destination = destination
        try publication.begin(at: location, sequence: first)
        while progress.outcome == nil, !progress.hasAnswered(first) { try await turn() }
        try check(destination)
        publication.tell { $0.drop($1) }
        while progress.outcome == nil { try await turn() }
        // In the meantime the destination may have ended, or proposed another operation.
        if !(progress.dropped?.transfers ?? true) { try check(destination) }
        return progress
    }

    /// Withdraws the session, unless it is over.
    func cancel() { publication.tell { $0.cancel($1) } }

    /// Throws the reason why the session cannot be dropped, if there is one.
    private func check(_ destination: String) throws {
        if case .failed(let failure) = progress.outcome { throw failure }
        guard let proposal = progress.proposal else { return }
        if let refusal = proposal.refusal { throw refusal }
        let what: String
        switch proposal.operation ?? .absent {
        case .copy, .move: return
        case .forbidden: what = "accepts nothing at this time"
        default:
            what = proposal.cannotHandle == true ? "does not accept such items" : "proposes no operation for the items"
        }
        throw Failure(.refused, "destination \(destination) \(what)")
    }

    private mutating func turn() async throws {
        do throws(RequestFailure) {
            if let event = try await publication.next(or: [signals.interest]) { return progress.handle(event) }
        } catch {
            guard error.loss == .other, !Task.isCancelled else { throw error.failure }
            return progress.end(error.failure)
        }
        // A session that has ended cannot be cancelled.
        if progress.outcome == nil, let signal = try signals.next() { throw interruption(by: signal) }
    }

    /// The destination removes what is incomplete, and keeps items that it had completely.
    private func interruption(by signal: CInt) -> CommandFailure {
        guard progress.dropped?.transfers == true else { return .signaled(signal) }
        let text = "interrupted: the drop was cancelled, and the destination may have some of the items"
        return CommandFailure(exitCode: 128 + signal, isMove ? "\(text); nothing was deleted" : text)
    }
}
