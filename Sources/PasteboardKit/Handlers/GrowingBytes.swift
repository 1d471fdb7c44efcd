import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Bytes that are made chunk by chunk and read by several loads, each from the start and at its own pace. They are kept
/// in memory as they arrive.
final class GrowingBytes: Sendable {
    private typealias Waiter = @Sendable () -> Void

    private struct State {
        var count: UInt64 = 0
        var end: Result<Void, any Error>?
        var views = 0
        var waiters: [Waiter] = []
    }

    private let source: any ChunkSource
    private let memory: MemoryFile
    private let state = Lock(State())

    init(_ source: any ChunkSource) throws(SystemError) {
        self.source = source
        memory = try MemoryFile()
    }

    /// - Parameter completion: is called once, at the end, with all the bytes or with the error.
    func start(_ completion: @escaping @Sendable (Result<SourceFile, any Error>) -> Void) {
        // Detached, so that the task does not inherit from the task of the load that happened to be first.
        Task.detached(executorPreference: ThreadPool.files) { await self.collect(completion) }
    }

    private func collect(_ completion: @Sendable (Result<SourceFile, any Error>) -> Void) async {
        let result: Result<Void, any Error>
        do {
            while let chunk = try await source.next() {
                try memory.append(chunk.span)
                for waiter in advance(by: chunk.count) { waiter() }
            }
            try memory.seal(attempts: 16)
            result = .success(())
        } catch {
            source.cancel()
            result = .failure(error)
        }
        let (count, waiters) = state.withLock { state -> (UInt64, [Waiter]) in
            state.end = result
            defer { state.waiters = [] }
            return (state.count, state.waiters)
        }
        let (isArchive, name) = (source.isArchive, source.fileName)
        completion(
            result.map {
                SourceFile(descriptor: memory.descriptor, byteCount: count, isArchive: isArchive, name: name)
            }
        )
        for waiter in waiters { waiter() }
    }

    private func advance(by count: Int) -> [Waiter] {
        state.withLock { state in
            state.count += UInt64(count)
            return exchange(&state.waiters, with: [])
        }
    }

    /// Makes a source for one more load of the bytes; nil if they have failed.
    func makeView() -> (any ChunkSource)? {
        let isWanted = state.withLock { state in
            if case .failure = state.end { return false }
            state.views += 1
            return true
        }
        return isWanted ? View(self) : nil
    }

    private func removeView() {
        let isLast = state.withLock { state in
            state.views -= 1
            guard state.views == 0, state.end == nil else { return false }
            state.end = .failure(PasteboardError.cancelled)
            return true
        }
        if isLast { source.cancel() }
    }

    /// The bytes as the source of one load.
    private final class View: ChunkSource {
        private let bytes: GrowingBytes
        private let position = Lock((offset: UInt64(0), isOver: false))

        init(_ bytes: GrowingBytes) {
            self.bytes = bytes
        }

        deinit {
            cancel()
        }

        var byteCount: UInt64? { bytes.source.byteCount }
        var isArchive: Bool { bytes.source.isArchive }
        var fileName: String? { bytes.source.fileName }

        func next(_ completion: @escaping @Sendable (Result<Data?, any Error>) -> Void) {
            let (offset, isOver) = position.withLock { $0 }
            guard !isOver else { return completion(.failure(PasteboardError.cancelled)) }
            let (count, end) = bytes.state.withLock { state -> (UInt64, Result<Void, any Error>?) in
                if state.count == offset, state.end == nil { state.waiters.append { self.next(completion) } }
                return (state.count, state.end)
            }
            if count > offset {
                ThreadPool.files.run { completion(Result { try self.read(at: offset, of: count) }) }
            } else if let end {
                completion(end.map { nil })
            }
        }

        private func read(at offset: UInt64, of count: UInt64) throws -> Data {
            let file = PassedFile(descriptor: bytes.memory.descriptor, byteCount: count, isImmutable: false)
            let chunk = try file.chunk(at: offset)
            position.withLock { $0.offset = offset + UInt64(chunk.count) }
            return chunk
        }

        func cancel() {
            let wasOver = position.withLock { exchange(&$0.isOver, with: true) }
            guard !wasOver else { return }
            bytes.removeView()
            // A load that waits for bytes is notified.
            for waiter in bytes.advance(by: 0) { waiter() }
        }
    }
}
