import PasteboardTransport
import PasteboardWire

/// One board in one direction of a link: watches and lists it at its broker, and promises the same contents at the
/// other one.
///
/// The next change is reported only after the one before was written, so many changes are written as fast as the
/// destination takes them, and nothing is stored.
final class LinkDirection: Sendable {
    /// Contents at the destination, and the task that answers the asks for them.
    private struct Published {
        let stream: UnreadStream
        let handle: UInt64
        var source: LinkedBoard.Source
        let serving: Task<Void, Never>
    }

    private struct State {
        var board: LinkedBoard
        var watch: UnreadStream?
        var published: [Published] = []
    }

    /// The number of contents whose asks are answered, although the contents have been replaced: asks of loads that
    /// began before may still arrive.
    private static let longestHistory = 16

    private let from: LinkEnd
    private let to: LinkEnd
    /// Whether contents cross. Otherwise the board is watched only for the opposite direction.
    private let isOpen: Bool
    private let name: String
    private let reportInterval: Int
    private let report: @Sendable (String) -> Void
    private let state: Lock<State>

    init(
        _ name: String,
        from: LinkEnd,
        to: LinkEnd,
        isOpen: Bool,
        permits: LinkedBoard.Permits,
        reportInterval: Int,
        report: @escaping @Sendable (String) -> Void
    ) {
        self.name = name
        self.from = from
        self.to = to
        self.isOpen = isOpen
        self.reportInterval = reportInterval
        self.report = report
        state = Lock(State(board: LinkedBoard(name, permits: permits, to: to.connection.welcome)))
    }

    /// Lets contents cross until the broker ends.
    ///
    /// - Parameter vacated: called when the board is empty without a clear: the other end may have contents for it that
    ///   another link has withdrawn.
    func run(vacated: () -> Void) async throws {
        var watch = WatchOperation(name, sinceChangeCount: 0, epoch: 0)
        _ = watch.want()
        let request = watch.open()
        var stream = from.connection.open { (state) throws(Failure) in try state.open(request) }
        state.withLock { [shared = stream.shared] in $0.watch = shared }
        while true {
            guard let event = try await stream.next(at: .standing, or: []) else {
                if isOpen, state.withLock({ !$0.board.isShown }) { await show() }
                continue
            }
            guard case .changed(let change) = watch.handle(event) else { continue }
            if change.handle == nil, change.origin == nil { vacated() }
            if isOpen { await show() }
            if watch.want() { stream.tell { $0.grantChange($1) } }
        }
    }

    /// Shows the contents of the source again, after the destination's board became empty without a clear.
    func vacated() { state.withLock { $0.watch }?.nudge() }

    /// Ends the contents at the destination.
    func end() { for published in state.withLock({ exchange(&$0.published, with: []) }) { published.serving.cancel() } }

    /// Lists the board, and shows at the destination what it has.
    private func show() async {
        do {
            let listing = try await from.connection.listing(of: name, settles: false)
            for step in state.withLock({ $0.board.listed(listing) }) { try await perform(step) }
        } catch {
            refused((error as? RequestFailure)?.failure ?? Failure(.invalidArgument, "\(error)"))
        }
    }

    private func perform(_ step: LinkedBoard.Step) async throws {
        switch step {
        case .withdraw: state.withLock { $0.published.last?.stream }?.withdraw()
        case .clear(let clear): _ = try await to.connection.clear(clear)
        case .write(let write, let items, let source):
            // An ask for an added type may come at once.
            if let handle = write.handle {
                state.withLock { state in
                    for index in state.published.indices where state.published[index].handle == handle {
                        state.published[index].source = source
                    }
                }
            }
            var committed: Committed?
            defer {
                // If it was refused, at the source the earlier contents have been replaced.
                let steps = state.withLock { [committed] in $0.board.answered(committed) }
                if !steps.isEmpty { state.withLock { $0.published.last?.stream }?.withdraw() }
            }
            let publication = try await to.connection.write(write, items.map { WriteItem(promising: $0) })
            committed = publication.committed
            if write.handle == nil { serve(publication, source) } else { publication.leave() }
        }
    }

    private func serve(_ publication: consuming Publication, _ source: LinkedBoard.Source) {
        let (stream, handle) = (publication.shared, publication.committed.handle ?? 0)
        let box = Lock<Publication?>(publication)
        let serving = Task(executorPreference: to.connection.loop) { [self] in
            guard var publication = box.withLock({ $0.take() }) else { return }
            await publication.serveAlsoLate { [self] ask in
                let source = state.withLock { state in state.published.first { $0.handle == handle }?.source }
                try await from.answer(&ask, from: source, reportingEvery: reportInterval)
            } ended: {
                state.withLock { $0.board.ended(handle) }
            }
        }
        let published = Published(stream: stream, handle: handle, source: source, serving: serving)
        let oldest = state.withLock { state in
            state.published.append(published)
            return state.published.count > Self.longestHistory + 1 ? state.published.removeFirst() : nil
        }
        oldest?.serving.cancel()
    }

    private func refused(_ failure: Failure) {
        // The contents were replaced, or the broker is ending, which its connection reports.
        guard failure.code != .superseded, !failure.isEnd, from.connection.failure == nil, to.connection.failure == nil
        else { return }
        report("the contents of pasteboard \(name) are not on \(to.machine): \(failure.text)")
    }
}
