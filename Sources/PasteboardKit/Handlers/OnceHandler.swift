import FoundationEssentials
import PasteboardTransport

/// A handler that is asked once: loads at the same time share its run, and later ones get what it gave.
final class OnceHandler: Sendable {
    typealias Completion = @Sendable (Result<MadeBytes, any Error>) -> Void
    typealias Report = @Sendable (_ completed: Int64, _ total: Int64) -> Void

    private struct Share {
        let report: Report
        let completion: Completion
    }

    private enum Phase {
        case idle
        /// `number` tells this run from those that were given up.
        case running(number: Int, HandlerRun, shares: [Int: Share])
        case done(MadeBytes)
    }

    private struct State {
        var phase = Phase.idle
        var runs = 0
        var shares = 0
        /// What the run gives piece by piece and is being collected.
        var pieces: (any PieceSource)?
    }

    private let handler: DataHandler
    private let state = Lock(State())

    init(_ handler: DataHandler) {
        self.handler = handler
    }

    /// Takes part in the run, which is started if there is none. `completion` is called once, unless the share is left.
    ///
    /// - Returns: what `leave` takes.
    func join(report: @escaping Report, completion: @escaping Completion) -> Int {
        let (share, started, made) = state.withLock { state -> (Int, HandlerRun?, MadeBytes?) in
            state.shares += 1
            let share = Share(report: report, completion: completion)
            switch state.phase {
            case .done(let made):
                return (state.shares, nil, made)
            case .running(let number, let run, var shares):
                shares[state.shares] = share
                state.phase = .running(number: number, run, shares: shares)
                return (state.shares, nil, nil)
            case .idle:
                state.runs += 1
                let run = makeRun(state.runs)
                state.phase = .running(number: state.runs, run, shares: [state.shares: share])
                return (state.shares, run, nil)
            }
        }
        started?.start()
        if let made { completion(.success(made)) }
        return share
    }

    /// Nobody wants a share any more; with the last one the run is given up.
    func leave(_ share: Int) {
        let (run, pieces) = state.withLock { state -> (HandlerRun?, (any PieceSource)?) in
            guard case .running(let number, let run, var shares) = state.phase else { return (nil, nil) }
            guard shares.removeValue(forKey: share) != nil else { return (nil, nil) }
            guard shares.isEmpty else {
                state.phase = .running(number: number, run, shares: shares)
                return (nil, nil)
            }
            state.phase = .idle
            defer { state.pieces = nil }
            return (run, state.pieces)
        }
        run?.cancel()
        pieces?.cancel()
    }

    private func makeRun(_ number: Int) -> HandlerRun {
        HandlerRun(handler) { [weak self] completed, total in
            for share in self?.shares(of: number) ?? [] { share.report(completed, total) }
        } completion: { result in
            if case .success(.pieces(let pieces)) = result {
                self.collect(pieces, of: number)
            } else {
                self.finish(number, result)
            }
        }
    }

    private func shares(of number: Int) -> [Share] {
        state.withLock { state in
            guard case .running(number, _, let shares) = state.phase else { return [] }
            return Array(shares.values)
        }
    }

    /// Pieces go to one taker only: they are put together for all.
    private func collect(_ pieces: any PieceSource, of number: Int) {
        let isWanted = state.withLock { state in
            guard case .running(number, _, _) = state.phase else { return false }
            state.pieces = pieces
            return true
        }
        guard isWanted else { return pieces.cancel() }
        Task(executorPreference: HandlerPool.shared) {
            do {
                let memory = try MemoryFile()
                var count: UInt64 = 0
                while let piece = try await pieces.next() {
                    try memory.append(piece.span)
                    count += UInt64(piece.count)
                    let total = pieces.byteCount.map { Int64(clamping: $0) } ?? -1
                    for share in self.shares(of: number) { share.report(Int64(clamping: count), total) }
                }
                try memory.seal()
                let file = SourceFile(descriptor: memory.descriptor, byteCount: count, isArchive: pieces.isArchive)
                self.finish(number, .success(.file(file)))
            } catch {
                pieces.cancel()
                self.finish(number, .failure(error))
            }
        }
    }

    private func finish(_ number: Int, _ result: Result<MadeBytes, any Error>) {
        let shares = state.withLock { state -> [Share] in
            guard case .running(number, _, let shares) = state.phase else { return [] }
            state.pieces = nil
            if case .success(let made) = result { state.phase = .done(made) } else { state.phase = .idle }
            return Array(shares.values)
        }
        for share in shares { share.completion(result) }
    }
}
