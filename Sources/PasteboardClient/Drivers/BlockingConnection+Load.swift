import PasteboardTransport
package import PasteboardWire

// Loads. The bytes are lent chunk by chunk as they arrive, and no faster than the caller consumes them.
extension BlockingConnection {
    /// Performs a load, and returns its answer after all bytes have arrived.
    ///
    /// While `bytes` handles a chunk, nothing more is read, and the broker sends at most the load's credit ahead.
    /// Throws a `Failure`, or the error that a closure threw. In both cases the load has ended.
    ///
    /// The load may be answered with a descriptor, unless it says otherwise. Bytes that arrive as one are read and lent
    /// to `bytes` like others, unless `file` is set.
    ///
    /// - Parameters:
    ///   - interrupt: a descriptor that ends the load with `cancelled` when it becomes readable, for example one for
    ///     signals.
    ///   - answered: called once, before the first byte.
    ///   - file: called instead of `bytes` if the bytes arrive as a descriptor.
    ///   - bytes: called for each chunk, in order.
    @discardableResult
    package func load(
        _ load: Load,
        interruptedBy interrupt: CInt? = nil,
        answered: (Answer) throws -> Void = { _ in },
        file handle: ((PassedFile) throws -> Void)? = nil,
        bytes consume: (Span<UInt8>) throws -> Void
    ) throws -> Answer {
        let deadline = Self.deadline(of: load)
        var opened = load
        opened.descriptorWelcome = load.descriptorWelcome ?? true
        let stream = try io.state.open(opened)
        var operation = LoadOperation(expecting: load.accepts.first?.type)
        var thrown: (any Error)?
        do {
            try result(of: stream, until: deadline, lateness: Self.lateness(of: load), interruptedBy: interrupt) {
                (state, event, bytes) -> Result<Void, Failure>? in
                do {
                    switch operation.handle(event, in: bytes) {
                    case .answered:
                        // Taken out and put back, because a copy counts the references of all fields.
                        guard let answer = operation.answer.take() else { break }
                        try answered(answer)
                        operation.answer = answer
                    case .bytes(let range):
                        try consume(bytes.extracting(range))
                        if operation.end == nil { state.consumed(stream, count: range.count) }
                    case .none, .progress, .over: break
                    }
                } catch {
                    thrown = error
                    state.cancel(stream)
                    return .failure(Failure(.cancelled, "the load was abandoned"))
                }
                return operation.end == nil ? nil : .success(())
            }
        } catch {
            throw thrown ?? error
        }
        guard case .passed(let descriptor, let answer) = operation.end.take() else {
            return operation.answer.take() ?? Answer()
        }
        try answered(answer)
        let file = try PassedFile(descriptor, answer)
        if let handle { try handle(file) } else { try file.forEachChunk(consume) }
        return answer
    }

    /// Loads into memory.
    package func loadBytes(_ load: Load) throws(Failure) -> (answer: Answer, bytes: [UInt8]) {
        var all: [UInt8] = []
        do {
            let answer = try self.load(load) { bytes in all.append(copying: bytes) }
            return (answer, all)
        } catch {
            // The closure throws no errors, so this error is always a `Failure`.
            throw error as? Failure ?? Failure(.cancelled, "\(error)")
        }
    }

    /// The time at which the client itself ends the load. The broker enforces the load's timeout and reports the bytes
    /// that arrived in time. The client's deadline is for a broker that is stopped or hangs. The user's timeout is for
    /// the whole load, so the broker's answer gets only 50 ms more to arrive.
    private static func deadline(of load: Load) -> UInt64 {
        guard let timeout = load.timeoutMilliseconds, timeout > 0 else { return .max }
        return MonotonicClock.deadline(milliseconds: Int(clamping: timeout.addingClamped(50)))
    }

    /// The text of the error at that time. It does not blame the broker, whose answer may be on its way.
    private static func lateness(of load: Load) -> String? {
        load.timeoutMilliseconds.map { "the load did not end within \($0) ms" }
    }
}
