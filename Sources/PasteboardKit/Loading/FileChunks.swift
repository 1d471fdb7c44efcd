import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The chunks of a load whose bytes came as a file: each is read when it is asked for.
final class FileChunks: Sendable {
    private enum State {
        case at(UInt64)
        case reading
        case over(Result<Data?, PasteboardError>)
    }

    let file: PassedFile
    private let progress: LoadProgress?
    private let state = Lock(State.at(0))

    init(_ file: PassedFile, progress: LoadProgress?) {
        self.file = file
        self.progress = progress
        progress?.begin { [weak self] in self?.cancel() }
    }

    func next() async throws(PasteboardError) -> Data? {
        let reply = Reply<Data?>()
        return try await reply.value {
            self.cancel()
            reply.resolve(.failure(.cancelled))
        } start: {
            self.readNext(for: reply)
        }
    }

    private func readNext(for reply: Reply<Data?>) {
        let before = state.withLock { state in
            defer { if case .at = state { state = .reading } }
            return state
        }
        switch before {
        case .at(let offset):
            // A file may be on a disk that takes its time.
            HandlerPool.shared.run { reply.resolve(self.read(at: offset)) }
        case .reading:
            let text = "the chunks of one load are read by one task at a time"
            reply.resolve(.failure(PasteboardError(.invalidArgument, message: text)))
        case .over(let end):
            reply.resolve(end)
        }
    }

    private func read(at offset: UInt64) -> Result<Data?, PasteboardError> {
        let result = Result { () throws(Failure) -> Data? in
            let piece = try self.file.piece(at: offset)
            return piece.isEmpty ? nil : piece
        }.mapError { PasteboardError($0) }
        let end = offset + UInt64((try? result.get())?.count ?? 0)
        if case .success(.some) = result {
            progress?.report(completed: Int64(clamping: end), total: Int64(clamping: file.byteCount))
        } else {
            progress?.end(byteCount: (try? result.get()) == nil && end < file.byteCount ? nil : Int(clamping: end))
        }
        return state.withLock { state in
            // It may have been cancelled meanwhile.
            if case .over(let cancelled) = state { return cancelled }
            if case .success(.some) = result { state = .at(end) } else { state = .over(result) }
            return result
        }
    }

    var isOver: Bool {
        state.withLock { state in
            if case .over = state { true } else { false }
        }
    }

    /// The file was taken whole.
    func finish() {
        state.withLock { $0 = .over(.success(nil)) }
        progress?.end(byteCount: Int(clamping: file.byteCount))
    }

    /// Ends the load unless it has ended.
    func cancel() {
        let isFirst = state.withLock { state in
            if case .over = state { return false }
            state = .over(.failure(.cancelled))
            return true
        }
        if isFirst { progress?.end(byteCount: nil) }
    }
}
