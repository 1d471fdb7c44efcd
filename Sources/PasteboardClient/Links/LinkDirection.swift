import PasteboardTransport
import PasteboardWire

/// One board in one direction of a link: watches and lists it at its broker, and promises the same contents at the
/// other one.
///
/// The next change is reported only after the one before was written, so many changes are written as fast as the
/// destination takes them, and nothing is stored.
final class LinkDirection: Sendable {
    /// Contents at the destination, and the task that has their `Publication`, so that asks are answered.
    private struct Published {
        let stream: StreamReference
        let handle: UInt64
        let source: CurrentSource
        let serving: Task<Void, Never>
    }

    /// The source of published contents, which additions change.
    private final class CurrentSource: Sendable {
        let value: Lock<LinkedBoard.Source>

        init(_ value: LinkedBoard.Source) { self.value = Lock(value) }
    }

    private struct State {
        var board: LinkedBoard
        var watch: StreamReference?
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
    private let report: Link.Report
    private let state: Lock<State>

    init(
        _ name: String,
        from: LinkEnd,
        to: LinkEnd,
        isOpen: Bool,
        permits: LinkedBoard.Permits,
        reportInterval: Int,
        report: @escaping Link.Report
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
    func run(vacated: () -> Void) async throws(RequestFailure) {
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
            refused(error.asFailure ?? Failure(.invalidArgument, "\(error)"))
        }
    }

    private func perform(_ step: LinkedBoard.Step) async throws {
        switch step {
        case .withdraw: state.withLock { $0.published.last?.stream }?.cancel()
        case .clear(let clear): _ = try await to.connection.clear(clear)
        case .write(let write, let items, let source):
            let current = state.withLock { state in state.published.first { $0.handle == write.handle }?.source }
            // An ask for an added type may come at once.
            current?.value.withLock { $0 = source }
            let new = CurrentSource(source)
            let answerer = AskStream.answerer { [from, reportInterval] ask in
                try await from.answer(ask, from: new.value.withLock(\.self), reportingEvery: reportInterval)
            }
            do {
                let publication = try await to.connection.write(
                    write,
                    items.map { WriteItem(promising: $0) },
                    answering: write.handle == nil ? answerer : nil
                )
                let committed = publication.committed
                _ = state.withLock { $0.board.answered(committed) }
                if write.handle == nil { hold(publication, new) } else { publication.leave() }
            } catch {
                for step in state.withLock({ $0.board.answered(nil) }) { try await perform(step) }
                throw error
            }
        }
    }

    private func hold(_ publication: consuming Publication, _ source: CurrentSource) {
        let (stream, handle) = (publication.shared, publication.committed.handle ?? 0)
        let serving = publication.inTask { [self] publication in
            do throws(RequestFailure) { while try await publication.ended() == nil {} } catch {}
            state.withLock { $0.board.ended(handle) }
            await to.connection.ended()
        }
        let published = Published(stream: stream, handle: handle, source: source, serving: serving)
        let oldest = state.withLock { state in
            state.published.append(published)
            return state.published.count > Self.longestHistory + 1 ? state.published.removeFirst() : nil
        }
        oldest?.serving.cancel()
    }

    private func refused(_ failure: Failure) {
        // The contents were replaced meanwhile.
        guard failure.code != .superseded else { return }
        report(failure, "the contents of pasteboard \(name) are not on \(to.machine): \(failure.text)")
    }
}
