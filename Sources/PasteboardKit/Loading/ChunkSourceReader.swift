import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// Reads the chunks of a load whose source is in this process: a passed file, or one of its own handlers.
final class ChunkSourceReader: Sendable {
    private enum Phase {
        case open
        case reading(PendingResult<Data?>)
        case over(Result<Data?, PasteboardError>)
    }

    private struct State {
        var phase = Phase.open
        var taken: UInt64 = 0
        var timer: LoadTimer?
        /// Ends the wait for a chunk that a handler makes.
        var patience: LoadTimer?
    }

    let source: any ChunkSource
    private let progress: LoadProgress?
    private let watch: HandlerWatch?
    private let hasDeadline: Bool
    private let state = Lock(State())

    /// - Parameters:
    ///   - deadline: when all has to have been taken; then the handler's own limits do not count.
    ///   - watch: over the handler of this process that makes the chunks.
    init(
        _ source: any ChunkSource,
        progress: LoadProgress?,
        deadline: LoadDeadline?,
        watch: HandlerWatch? = nil
    ) {
        self.source = source
        self.progress = progress
        self.watch = watch
        hasDeadline = deadline != nil
        progress?.begin { [weak self] in self?.end(.cancelled) }
        if let deadline {
            let timer = deadline.timer { [weak self] in self?.end(deadline.error) }
            state.withLock { $0.timer = timer }
        }
    }

    deinit {
        source.cancel()
        state.withLock { $0.timer }?.cancel()
        state.withLock { $0.patience }?.cancel()
    }

    func next() async throws(PasteboardError) -> Data? {
        let result = PendingResult<Data?>()
        return try await result.value {
            self.end(.cancelled)
            result.resolve(.failure(.cancelled))
        } start: {
            self.readNext(for: result)
        }
    }

    /// Takes all at once, past the chunks: with `body`, on the pool's threads, which is to look now and then whether the
    /// load is over already.
    func takeAll(_ body: @escaping @Sendable (_ isOver: () -> Bool) throws -> Void) async throws(PasteboardError) {
        let result = PendingResult<Data?>()
        _ = try await result.value {
            self.end(.cancelled)
            result.resolve(.failure(.cancelled))
        } start: {
            self.begin(for: result) {
                self.state.withLock { $0.taken = self.source.byteCount ?? 0 }
                HandlerPool.files.run {
                    self.take(
                        Result {
                            try body { self.isOver }
                            return nil
                        }
                    )
                }
            }
        }
    }

    private func readNext(for result: PendingResult<Data?>) {
        begin(for: result) {
            self.watch?.resumed()
            let patience = self.hasDeadline ? nil : self.watch?.timer { [weak self] in self?.end($0) }
            self.state.withLock { $0.patience = patience }
            self.source.next { self.take($0) }
        }
    }

    private func begin(for result: PendingResult<Data?>, _ read: () -> Void) {
        let before = state.withLock { state in
            defer { if case .open = state.phase { state.phase = .reading(result) } }
            return state.phase
        }
        switch before {
        case .open:
            read()
        case .reading:
            let text = "the chunks of one load are read by one task at a time"
            result.resolve(.failure(PasteboardError(.invalidArgument, message: text)))
        case .over(let end):
            result.resolve(end)
        }
    }

    private func take(_ chunk: Result<Data?, any Error>) {
        let chunk = chunk.mapError(PasteboardError.init(ofLoad:))
        watch?.gaveBytes()
        let (result, taken, patience) = state.withLock { state -> (PendingResult<Data?>?, UInt64, LoadTimer?) in
            // It may have been ended meanwhile.
            let patience = state.patience
            guard case .reading(let result) = state.phase else { return (nil, 0, patience) }
            if case .success(let data?) = chunk {
                state.taken += UInt64(data.count)
                state.phase = .open
            } else {
                state.phase = .over(chunk)
            }
            return (result, state.taken, patience)
        }
        patience?.cancel()
        guard let result else { return }
        switch chunk {
        case .success(.some):
            let total = source.byteCount.map { Int64(clamping: $0) }
            if watch?.hasReported != true { progress?.report(completed: Int64(clamping: taken), total: total) }
        case .success(nil): ended(byteCount: Int(clamping: taken))
        case .failure: ended(byteCount: nil)
        }
        result.resolve(chunk)
    }

    private func ended(byteCount: Int?) {
        progress?.end(byteCount: byteCount)
        state.withLock { $0.timer }?.cancel()
    }

    private var isOver: Bool {
        state.withLock { state in
            if case .over = state.phase { true } else { false }
        }
    }

    /// Ends the load unless it has ended.
    func end(_ error: PasteboardError) {
        let (isFirst, result) = state.withLock { state -> (Bool, PendingResult<Data?>?) in
            if case .over = state.phase { return (false, nil) }
            defer { state.phase = .over(.failure(error)) }
            if case .reading(let result) = state.phase { return (true, result) }
            return (true, nil)
        }
        guard isFirst else { return }
        source.cancel()
        ended(byteCount: nil)
        result?.resolve(.failure(error))
    }
}
