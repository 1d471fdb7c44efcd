import PasteboardTransport
package import PasteboardWire

// Loads: the bytes are lent piece by piece, as they come and no faster than they are taken.
extension BlockingConnection {
    /// Loads, and returns what was given once all of it has come.
    ///
    /// While `bytes` works on a piece nothing more is read, and the broker sends at most the load's credit ahead. Throws a
    /// `Failure`, or what one of the closures threw; either way the load is over.
    ///
    /// Bytes that come as a descriptor are read and lent like others, unless there is a closure for them.
    ///
    /// - Parameters:
    ///   - interrupt: a descriptor that ends the load with `cancelled` when it becomes readable: one of signals, say.
    ///   - answered: called once, before the first byte.
    ///   - progressed: called as the source's handler reports.
    ///   - file: called instead of `bytes` where the bytes come as a descriptor.
    ///   - bytes: called for each piece, in order.
    @discardableResult
    package func load(
        _ load: Load,
        interruptedBy interrupt: CInt? = nil,
        answered: (Answer) throws -> Void = { _ in },
        progressed: (Progress) throws -> Void = { _ in },
        file take: ((PassedFile) throws -> Void)? = nil,
        bytes consume: (Span<UInt8>) throws -> Void
    ) throws -> Answer {
        var load = load
        load.descriptorWelcome = load.descriptorWelcome ?? true
        let deadline = Self.deadline(of: load)
        let stream = try self.io.state.open(load)
        var passed: DescriptorBox?
        var answer = Answer()
        var thrown: (any Error)?
        do {
            try self.result(of: stream, until: deadline, interruptedBy: interrupt) {
                (state, event, bytes) -> Result<Void, Failure>? in
                var isOver = false
                do {
                    switch event {
                    case .answered(_, let given):
                        answer = given
                        try answered(given)
                    case .passed(_, let given, let descriptor):
                        answer = given
                        try answered(given)
                        passed = descriptor
                        isOver = true
                    case .progress(_, let progress):
                        try progressed(progress)
                    case .data(_, let payload, let last):
                        try consume(bytes.extracting(payload))
                        state.consumed(stream, count: payload.count)
                        isOver = last
                    case .ended:
                        isOver = true
                    default:
                        break
                    }
                } catch {
                    thrown = error
                    state.cancel(stream)
                    return .failure(Failure(.cancelled, "the load was given up"))
                }
                return isOver ? .success(()) : nil
            }
        } catch {
            throw thrown ?? error
        }
        if let passed {
            let file = try PassedFile(passed, answer)
            if let take { try take(file) } else { try file.forEachPiece(consume) }
        }
        return answer
    }

    /// Loads into memory.
    package func loadBytes(_ load: Load) throws(Failure) -> (answer: Answer, bytes: [UInt8]) {
        var all: [UInt8] = []
        do {
            let answer = try self.load(load) { bytes in all.append(copying: bytes) }
            return (answer, all)
        } catch {
            // Nothing else can come out: the closure throws nothing.
            throw error as? Failure ?? Failure(.cancelled, "\(error)")
        }
    }

    /// The broker keeps the load's time and says what came by then; this is for a broker that is stopped or hangs. The
    /// user's time is the whole time, so the broker's answer gets only a moment more to arrive.
    private static func deadline(of load: Load) -> UInt64 {
        guard let timeout = load.timeoutMilliseconds, timeout > 0 else { return .max }
        return MonotonicClock.deadline(milliseconds: Int(clamping: timeout.addingClamped(50)))
    }
}
