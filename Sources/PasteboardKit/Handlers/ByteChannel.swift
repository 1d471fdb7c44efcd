import FoundationEssentials
import PasteboardTransport

/// Between a program that writes bytes and a load that takes them: small chunks are collected, and a writer that is
/// ahead waits.
final class ByteChannel: ChunkSource {
    /// So many bytes wait here before their writer does.
    private static let room = 64 << 10

    typealias Take = @Sendable (Result<Data?, any Error>) -> Void
    /// Goes on with whether its bytes are wanted.
    private typealias Writer = CheckedContinuation<Bool, Never>

    private struct State {
        var waiting = Data()
        var written: UInt64 = 0
        var reader: Take?
        var writers: [Writer] = []
        var end: Result<Data?, any Error>?
        var isCancelled = false
        /// Stops the program that writes.
        var stop: (@Sendable () -> Void)?
    }

    let byteCount: UInt64?
    private let state = Lock(State())

    init(byteCount: UInt64?) {
        self.byteCount = byteCount
    }

    // MARK: The writer

    func write(_ bytes: Data) async throws(PasteboardError) {
        guard !bytes.isEmpty else { return }
        var refusal: PasteboardError?
        let isWanted = await withCheckedContinuation { (writer: Writer) in
            let step = state.withLock { state -> Step in
                refusal = self.refusal(of: bytes.count, &state)
                guard refusal == nil else { return Step(writers: [writer]) }
                state.written += UInt64(bytes.count)
                if state.waiting.isEmpty, bytes.startIndex == 0 {
                    state.waiting = bytes
                } else {
                    state.waiting.append(bytes)
                }
                state.writers.append(writer)
                return Self.step(&state)
            }
            step.perform()
        }
        if let refusal { throw refusal }
        if !isWanted { throw .cancelled }
    }

    private func refusal(of count: Int, _ state: inout State) -> PasteboardError? {
        if state.isCancelled { return .cancelled }
        if state.end != nil {
            return PasteboardError(
                .invalidArgument,
                message: "the handler of a byte stream wrote after it had returned"
            )
        }
        guard let byteCount, byteCount - state.written < UInt64(count) else { return nil }
        let text = "the handler of a byte stream wrote more than the \(byteCount) bytes that were announced"
        let error = PasteboardError(.invalidArgument, message: text)
        // However the handler goes on: nothing of it can be trusted.
        state.end = .failure(error)
        return error
    }

    /// What stops the writer when nobody wants the bytes any more.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.stop = stop }
            return state.isCancelled
        }
        if isLate { stop() }
    }

    /// The writer has returned, or thrown.
    func end(_ result: Result<Void, any Error>) {
        let step = state.withLock { state in
            state.stop = nil
            if state.end == nil {
                state.end = result.mapError(PasteboardError.init(ofHandler:)).flatMap {
                    guard let byteCount, state.written < byteCount else { return .success(nil) }
                    let text = "the handler wrote \(state.written) of the \(byteCount) bytes that were announced"
                    return .failure(PasteboardError(.sourceTruncated, message: text))
                }
            }
            return Self.step(&state)
        }
        step.perform()
    }

    var isOver: Bool { state.withLock { $0.end != nil || $0.isCancelled } }

    // MARK: The reader

    func next(_ take: @escaping Take) {
        let step = state.withLock { state in
            state.reader = take
            return Self.step(&state)
        }
        step.perform()
    }

    func cancel() {
        let (step, stop) = state.withLock { state -> (Step, (@Sendable () -> Void)?) in
            guard !state.isCancelled, state.end == nil || !state.waiting.isEmpty else { return (Step(), nil) }
            state.isCancelled = true
            let (stop, waiting) = (state.stop, state.waiting)
            state.waiting = Data()
            state.stop = nil
            var step = Self.step(&state)
            step.discarded = waiting
            return (step, stop)
        }
        step.perform()
        stop?()
    }

    // MARK: Both

    /// What is to be done once the lock is free.
    private struct Step {
        var take: Take?
        var result: Result<Data?, any Error> = .success(nil)
        var writers: [Writer] = []
        var areWanted = true
        /// Whose end may be the program's code.
        var discarded = Data()

        func perform() {
            take?(result)
            for writer in writers { writer.resume(returning: areWanted) }
        }
    }

    private static func step(_ state: inout State) -> Step {
        var step = Step()
        if state.isCancelled {
            (step.take, step.result) = (state.reader, .failure(PasteboardError.cancelled))
            (step.writers, step.areWanted) = (state.writers, false)
            state.reader = nil
            state.writers = []
            return step
        }
        if let reader = state.reader {
            if !state.waiting.isEmpty {
                (step.take, step.result) = (reader, .success(state.waiting))
                state.waiting = Data()
                state.reader = nil
            } else if let end = state.end {
                (step.take, step.result) = (reader, end)
                state.reader = nil
            }
        }
        if state.waiting.count < room {
            step.writers = state.writers
            state.writers = []
        }
        return step
    }
}
