import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// The reader of one load: it passes on the chunks of the load's source, one at a time, within the load's limits.
///
/// It is itself a source, so that a loaded item can be published again. When it is released, its source is cancelled.
final class LoadReader: ChunkSource {
    typealias Chunk = Result<Data?, any Error>
    typealias Completion = @Sendable (Chunk) -> Void

    private enum Phase {
        case open
        case reading(Completion)
        case over(Chunk)
    }

    private struct State {
        var phase = Phase.open
        var taken: UInt64 = 0
        var timer: Task<Void, Never>?
        /// Ends the wait for a chunk that a handler of this process makes.
        var handlerTimer: Task<Void, Never>?
    }

    /// The largest number of bytes of a load whose source does not know it, and the type for the error.
    typealias Maximum = (byteCount: Int, type: UniformType)

    let source: any ChunkSource
    private let progress: LoadProgress?
    private let watch: HandlerWatch?
    private let hasDeadline: Bool
    private let maximum: Maximum?
    private let state = Lock(State())

    /// - Parameters:
    ///   - progress: receives the number of bytes that were taken, and cancels the load. nil if the source reports
    ///     progress itself.
    ///   - deadline: the time by which all bytes have to be taken. If there is one, the timeouts of `watch` do not
    ///     apply.
    ///   - watch: the timeouts of the handler of this process that makes the chunks.
    ///   - maximum: the largest number of bytes; nil: any.
    init(
        _ source: any ChunkSource,
        progress: LoadProgress? = nil,
        deadline: LoadDeadline? = nil,
        watch: HandlerWatch? = nil,
        maximum: Maximum? = nil
    ) {
        self.source = source
        self.progress = progress
        self.watch = watch
        self.maximum = maximum
        hasDeadline = deadline != nil
        progress?.begin { [weak self] in self?.end(.cancelled) }
        if let deadline {
            let timer = deadline.timer { [weak self] in self?.end(deadline.error) }
            state.withLock { $0.timer = timer }
        }
    }

    deinit {
        end(.cancelled)
        source.cancel()
        let (timer, handlerTimer) = state.withLock { ($0.timer, $0.handlerTimer) }
        timer?.cancel()
        handlerTimer?.cancel()
    }

    var byteCount: UInt64? { source.byteCount }
    var isArchive: Bool { source.isArchive }
    var fileName: String? { source.fileName }

    // MARK: Reading

    /// Returns the next chunk, or nil at the end. Cancelling the task cancels the load.
    func next() async throws(PasteboardError) -> Data? {
        try await value { self.next($0) }
    }

    func next(_ completion: @escaping Completion) {
        begin(for: completion) {
            self.watch?.resumed()
            let timer = self.hasDeadline ? nil : self.watch?.timer { [weak self] in self?.end($0) }
            self.state.withLock { $0.handlerTimer = timer }
            self.source.next { self.handle($0) }
        }
    }

    /// Reads all bytes at once, without chunks.
    ///
    /// - Parameter body: runs on a thread of the library that may block, and checks repeatedly whether the load is
    ///   over.
    func readAll(_ body: @escaping @Sendable (_ isOver: () -> Bool) throws -> Void) async throws(PasteboardError) {
        _ = try await value { completion in
            self.begin(for: completion) {
                self.state.withLock { $0.taken = self.source.byteCount ?? 0 }
                ThreadPool.files.run {
                    self.handle(
                        Result {
                            try body { self.isOver }
                            return nil
                        }
                    )
                }
            }
        }
    }

    /// Waits for the chunk that `start` requests. Cancelling the task ends the load.
    private func value(_ start: (@escaping Completion) -> Void) async throws(PasteboardError) -> Data? {
        let result = PendingResult<Data?>()
        return try await result.value {
            self.end(.cancelled)
            result.resolve(.failure(.cancelled))
        } start: {
            start { result.resolve($0.mapError(PasteboardError.init(ofLoad:))) }
        }
    }

    private func begin(for completion: @escaping Completion, _ read: () -> Void) {
        let before = state.withLock { state in
            defer { if case .open = state.phase { state.phase = .reading(completion) } }
            return state.phase
        }
        switch before {
        case .open:
            read()
        case .reading:
            let text = "only one task at a time can read the chunks of a load"
            completion(.failure(PasteboardError(.invalidArgument, message: text)))
        case .over(let end):
            completion(end)
        }
    }

    private func handle(_ chunk: Chunk) {
        var chunk = chunk.mapError { PasteboardError(ofLoad: $0) as any Error }
        if case .success(let data?) = chunk, let maximum,
            state.withLock({ $0.taken }) + UInt64(data.count) > UInt64(max(0, maximum.byteCount))
        {
            chunk = .failure(PasteboardError.tooLarge(maximum.type, nil, maximum: maximum.byteCount))
            source.cancel()
        }
        watch?.gaveBytes()
        let (reader, taken, timer) = state.withLock { state -> (Completion?, UInt64, Task<Void, Never>?) in
            // The load may have ended meanwhile.
            guard case .reading(let reader) = state.phase else { return (nil, 0, state.handlerTimer) }
            if case .success(let data?) = chunk {
                state.taken += UInt64(data.count)
                state.phase = .open
            } else {
                state.phase = .over(chunk)
            }
            return (reader, state.taken, state.handlerTimer)
        }
        timer?.cancel()
        guard let reader else { return }
        switch chunk {
        case .success(.some):
            let total = source.byteCount.map { Int64(clamping: $0) }
            if watch?.hasReported != true { progress?.report(completed: Int64(clamping: taken), total: total) }
        case .success(nil): ended(byteCount: Int(clamping: taken))
        case .failure: ended(byteCount: nil)
        }
        reader(chunk)
    }

    // MARK: The end

    func cancel() {
        end(.cancelled)
    }

    private var isOver: Bool {
        state.withLock { state in
            if case .over = state.phase { true } else { false }
        }
    }

    private func ended(byteCount: Int?) {
        progress?.end(byteCount: byteCount)
        state.withLock { $0.timer }?.cancel()
    }

    /// Ends the load unless it has ended.
    private func end(_ error: PasteboardError) {
        let (isFirst, reader) = state.withLock { state -> (Bool, Completion?) in
            if case .over = state.phase { return (false, nil) }
            defer { state.phase = .over(.failure(error)) }
            if case .reading(let reader) = state.phase { return (true, reader) }
            return (true, nil)
        }
        guard isFirst else { return }
        source.cancel()
        ended(byteCount: nil)
        reader?(.failure(error))
    }
}
