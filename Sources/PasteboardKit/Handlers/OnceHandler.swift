import FoundationEssentials
import PasteboardTransport

/// A handler that runs once. Concurrent loads share its run, and later loads get the same result.
final class OnceHandler: Sendable {
    /// Receives the reports of the run for one load.
    typealias Share = @Sendable (HandlerReport) -> Void

    private enum Phase {
        case idle
        case running(HandlerRun, shares: [Int: Share])
        case growing(GrowingBytes)
        case done(HandlerResult)
    }

    private struct State {
        var phase = Phase.idle
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
            case .running(let run, var shares):
                shares[state.shares] = share
                state.phase = .running(run, shares: shares)
                return (state.shares, nil, nil)
            case .growing(let bytes):
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
        let run = HandlerRun(handler) { run, report in
            switch report {
            case .progress: for share in self.shares(of: run) { share(report) }
            case .result(let result): self.finish(run, result)
            }
        }
        state.phase = .running(run, shares: [state.shares: share])
        return run
    }

    /// Removes a share that is no longer needed. If it was the last one, the run is cancelled.
    func leave(_ share: Int) {
        let run = state.withLock { state -> HandlerRun? in
            guard case .running(let run, var shares) = state.phase else { return nil }
            guard shares.removeValue(forKey: share) != nil else { return nil }
            guard shares.isEmpty else {
                state.phase = .running(run, shares: shares)
                return nil
            }
            state.phase = .idle
            return run
        }
        run?.cancel()
    }

    private func shares(of run: HandlerRun) -> [Share] {
        state.withLock { state in
            guard case .running(let current, let shares) = state.phase, current === run else { return [] }
            return Array(shares.values)
        }
    }

    private func finish(_ run: HandlerRun, _ result: Result<HandlerResult, any Error>) {
        guard case .success(.chunks(let chunks)) = result else {
            for share in end(run, (try? result.get()).map(Phase.done) ?? .idle) { share(.result(result)) }
            return
        }
        // Chunks have only one consumer, so they are collected for all loads.
        do throws(SystemError) {
            let bytes = try GrowingBytes(chunks)
            // This view keeps the bytes from being cancelled until each share has its own view.
            let first = bytes.makeView()
            defer { first?.cancel() }
            let shares = end(run, .growing(bytes))
            guard !shares.isEmpty else { return }
            let views = shares.map { _ in bytes.makeView() }
            bytes.start { result in
                self.state.withLock { state in
                    guard case .growing(let current) = state.phase, current === bytes else { return }
                    state.phase = (try? result.get()).map { .done(.file($0)) } ?? .idle
                }
            }
            for (share, view) in zip(shares, views) {
                share(.result(view.map { .success(.chunks($0)) } ?? .failure(PasteboardError.cancelled)))
            }
        } catch {
            chunks.cancel()
            for share in end(run, .idle) { share(.result(.failure(error))) }
        }
    }

    /// Ends a run, unless it was cancelled.
    ///
    /// - Returns: the shares that wait for the run; none if it was cancelled.
    private func end(_ run: HandlerRun, _ next: Phase) -> [Share] {
        state.withLock { state in
            guard case .running(let current, let shares) = state.phase, current === run else { return [] }
            state.phase = next
            return Array(shares.values)
        }
    }
}
