import FoundationEssentials
import PasteboardTransport

/// A handler that runs once. Concurrent loads share its run, and later loads get the same result.
final class OnceHandler: Sendable {
    /// Receives the reports of the run for one load.
    typealias Share = @Sendable (HandlerReport) -> Void

    private enum Phase {
        case idle
        /// `number` distinguishes this run from earlier runs that were cancelled.
        case running(number: Int, HandlerRun, shares: [Int: Share])
        case growing(number: Int, GrowingBytes)
        case done(HandlerResult)
    }

    private struct State {
        var phase = Phase.idle
        var runs = 0
        var shares = 0
    }

    private let handler: DataHandler
    private let state = Lock(State())

    init(_ handler: DataHandler) {
        self.handler = handler
    }

    /// Joins the run, and starts it if there is none. `share` gets one result, unless it leaves before.
    ///
    /// - Returns: the number of the share, for `leave`.
    func join(_ share: @escaping Share) -> Int {
        let (number, started, made) = state.withLock { state -> (Int, HandlerRun?, HandlerResult?) in
            state.shares += 1
            switch state.phase {
            case .done(let made):
                return (state.shares, nil, made)
            case .running(let number, let run, var shares):
                shares[state.shares] = share
                state.phase = .running(number: number, run, shares: shares)
                return (state.shares, nil, nil)
            case .growing(_, let bytes):
                if let view = bytes.makeView() { return (state.shares, nil, .chunks(view)) }
                return (state.shares, start(with: share, &state), nil)
            case .idle:
                return (state.shares, start(with: share, &state), nil)
            }
        }
        started?.start()
        if let made { share(.result(.success(made))) }
        return number
    }

    private func start(with share: @escaping Share, _ state: inout State) -> HandlerRun {
        state.runs += 1
        let number = state.runs
        let run = HandlerRun(handler) { _, report in
            switch report {
            case .progress: for share in self.shares(of: number) { share(report) }
            case .result(let result): self.finish(number, result)
            }
        }
        state.phase = .running(number: number, run, shares: [state.shares: share])
        return run
    }

    /// Removes a share that is no longer needed. If it was the last one, the run is cancelled.
    func leave(_ share: Int) {
        let run = state.withLock { state -> HandlerRun? in
            guard case .running(let number, let run, var shares) = state.phase else { return nil }
            guard shares.removeValue(forKey: share) != nil else { return nil }
            guard shares.isEmpty else {
                state.phase = .running(number: number, run, shares: shares)
                return nil
            }
            state.phase = .idle
            return run
        }
        run?.cancel()
    }

    private func shares(of number: Int) -> [Share] {
        state.withLock { state in
            guard case .running(number, _, let shares) = state.phase else { return [] }
            return Array(shares.values)
        }
    }

    private func finish(_ number: Int, _ result: Result<HandlerResult, any Error>) {
        guard case .success(.chunks(let chunks)) = result else {
            for share in change(number, to: (try? result.get()).map(Phase.done) ?? .idle) { share(.result(result)) }
            return
        }
        // Chunks have only one consumer, so they are collected for all loads.
        do throws(SystemError) {
            let bytes = try GrowingBytes(chunks)
            // This view keeps the bytes from being cancelled until each share has its own view.
            let first = bytes.makeView()
            defer { first?.cancel() }
            let shares = change(number, to: .growing(number: number, bytes))
            guard !shares.isEmpty else { return }
            let views = shares.map { _ in bytes.makeView() }
            bytes.start { result in
                _ = self.change(number, to: (try? result.get()).map { .done(.file($0)) } ?? .idle)
            }
            for (share, view) in zip(shares, views) {
                share(.result(view.map { .success(.chunks($0)) } ?? .failure(PasteboardError.cancelled)))
            }
        } catch {
            chunks.cancel()
            for share in change(number, to: .idle) { share(.result(.failure(error))) }
        }
    }

    /// - Returns: the shares that wait for the run; none if the run was cancelled.
    private func change(_ number: Int, to phase: Phase) -> [Share] {
        state.withLock { state in
            switch state.phase {
            case .running(number, _, let shares):
                state.phase = phase
                return Array(shares.values)
            case .growing(number, _):
                state.phase = phase
                return []
            default: return []
            }
        }
    }
}
