import PasteboardTransport
package import PasteboardWire

/// The bytes of a load as they arrive. The broker sends at most the load's credit ahead of those that were read.
///
/// Its end cancels the load.
package struct Incoming: ~Copyable, Sendable {
    private var stream: BrokerStream
    package let answer: Answer
    /// The file that the source has passed instead of bytes.
    package let file: PassedFile?
    /// The number of bytes that were returned last, which count as consumed when the next ones are requested.
    private var lent = 0
    private var offset: UInt64 = 0

    /// News of a load.
    package enum Arrival {
        case bytes([UInt8], isLast: Bool)
        /// A report of the source, before its first bytes.
        case progress(completed: UInt64, total: UInt64?)
    }

    fileprivate init(_ stream: consuming BrokerStream, _ answer: Answer, _ file: PassedFile? = nil) {
        self.stream = stream
        self.answer = answer
        self.file = file
    }

    /// The next bytes; nil at the end.
    ///
    /// - Throws: what has ended the load, or `cancelled` if the task is.
    package mutating func next() async throws(RequestFailure) -> [UInt8]? {
        while let arrival = try await nextArrival() { if case .bytes(let bytes, _) = arrival { return bytes } }
        return nil
    }

    /// The next bytes or report; nil at the end. Otherwise like `next`.
    package mutating func nextArrival() async throws(RequestFailure) -> Arrival? {
        if let file { return try next(of: file).map { .bytes($0, isLast: offset == file.byteCount) } }
        while true {
            let (arrival, end, failure) = takeArrival()
            if let arrival { return arrival }
            switch end {
            case .complete: return nil
            case .failed(let failure): throw RequestFailure(failure, .other, at: .bytes)
            case .tooLarge: throw .tooLarge
            case .passed, nil: break
            }
            if let failure { throw failure }
            if Task.isCancelled { throw .cancelled(at: .bytes) }
            await stream.wait(for: .event)
        }
    }

    /// Sets how many bytes the broker may send ahead of those that were read.
    func setWindow(_ count: UInt64) {
        stream.connection.core.withLock { [slot = stream.slot] core in
            core.io.state.setWindow(of: core.streams.slots[slot].stream, to: count)
        }
    }

    private mutating func next(of file: PassedFile) throws(RequestFailure) -> [UInt8]? {
        guard offset < file.byteCount else { return nil }
        let (count, start) = (Int(clamping: min(UInt64(WireLimits.dataLength), file.byteCount - offset)), offset)
        do throws(Failure) {
            let bytes = try [UInt8](capacity: count) { (output) throws(Failure) in
                try file.read(at: start, into: &output)
            }
            offset += UInt64(bytes.count)
            return bytes
        } catch {
            throw RequestFailure(error, .other, at: .bytes)
        }
    }

    /// Takes what has arrived. The end follows the last bytes.
    private mutating func takeArrival() -> (Arrival?, LoadOperation.End?, RequestFailure?) {
        let (slot, lent) = (stream.slot, lent)
        let taken = stream.connection.change { core -> (Arrival?, LoadOperation.End?, RequestFailure?) in
            if lent > 0 { core.io.state.consumed(core.streams.slots[slot].stream, count: lent) }
            let bytes = exchange(&core.streams.slots[slot].bytes, with: [])
            guard bytes.isEmpty else {
                let isLast = if case .complete? = core.streams.slots[slot].load?.end { true } else { false }
                return (.bytes(bytes, isLast: isLast), nil, nil)
            }
            if let report = core.streams.slots[slot].load?.takeReport() {
                return (.progress(completed: report.completed, total: report.total), nil, nil)
            }
            return (nil, core.streams.slots[slot].load?.end, core.failure(of: slot, at: .bytes))
        }
        if case .bytes(let bytes, _)? = taken.0 { self.lent = bytes.count } else { self.lent = 0 }
        return taken
    }
}

extension BrokerStream {
    fileprivate typealias Answered = (
        report: (completed: UInt64, total: UInt64?)?, answer: Answer?, end: LoadOperation.End?, failure: RequestFailure?
    )

    /// Takes the answer, and the last report before it, which would end each wait for the answer otherwise.
    fileprivate func takeAnswer() -> Answered {
        connection.core.withLock { [slot] core in
            let report = core.streams.slots[slot].load?.takeReport()
            let answer = core.streams.slots[slot].load?.answer.take()
            let end = answer == nil ? core.streams.slots[slot].load?.end : nil
            return (report, answer, end, core.failure(of: slot, at: .uncommitted))
        }
    }
}

extension StreamReference {
    /// Returns when a load is answered.
    ///
    /// - Parameter report: called with the reports of the source before that: the completed units, and all of them.
    package func answered(
        reporting report: (UInt64, UInt64?) -> Void = { _, _ in }
    ) async throws(RequestFailure) -> Incoming {
        let stream = reader()
        while true {
            let (last, answer, end, failure) = stream.takeAnswer()
            if let last { report(last.completed, last.total) }
            if let answer { return Incoming(stream, answer) }
            switch end {
            case .passed(let descriptor, let answer):
                do throws(Failure) {
                    let file = try PassedFile(descriptor, answer)
                    return Incoming(stream, answer, file)
                } catch {
                    throw RequestFailure(error, .other, at: .uncommitted)
                }
            case .failed(let failure): throw RequestFailure(failure, .other, at: .uncommitted)
            case .tooLarge: throw .tooLarge
            case .complete: return Incoming(stream, Answer())
            case nil: break
            }
            if let failure { throw failure }
            if Task.isCancelled { throw .cancelled(at: .uncommitted) }
            await stream.wait(for: .event)
        }
    }
}

extension RequestFailure {
    fileprivate static let tooLarge = RequestFailure(
        Failure(.limitExceeded, "there are more bytes than the load accepts"),
        .other,
        at: .uncommitted
    )
}

extension BrokerConnection {
    /// Begins a load, and returns when it is answered. Bytes follow as they are read.
    ///
    /// The load may be answered with a descriptor, unless it says otherwise. The broker enforces the load's timeout,
    /// and reports the bytes that have arrived in time. The client ends it 50 ms later, in case the broker is stopped
    /// or hangs.
    package func load(
        _ load: Load,
        reporting report: (UInt64, UInt64?) -> Void = { _, _ in }
    ) async throws(RequestFailure) -> Incoming {
        try await open(load).answered(reporting: report)
    }

    /// Begins a load that a task is to read.
    package func open(_ load: Load) -> StreamReference {
        var load = load
        load.descriptorWelcome = load.descriptorWelcome ?? true
        return open(load, LoadOperation(expecting: load.accepts.first?.type))
    }

    private func open(_ load: Load, _ operation: LoadOperation) -> StreamReference {
        let timeout = load.timeoutMilliseconds.flatMap { $0 > 0 ? $0 : nil }
        let slot = change { core in
            let slot = core.open { state throws(Failure) in try state.open(load) }
            core.streams.slots[slot].load = operation
            guard let timeout else { return slot }
            core.streams.slots[slot].timeout = timeout
            let latest = Int(clamping: timeout.addingClamped(50))
            core.streams.limit(slot, to: MonotonicClock.deadline(milliseconds: latest))
            return slot
        }
        return StreamReference(slot, of: self)
    }

    /// Loads all bytes into memory.
    ///
    /// - Parameter limit: the number of bytes after which the rest is not loaded.
    package func loadBytes(
        _ load: Load,
        upTo limit: Int = .max
    ) async throws(RequestFailure) -> (answer: Answer, bytes: [UInt8]) {
        var incoming = try await self.load(load)
        var all: [UInt8] = []
        while all.count < limit, let bytes = try await incoming.next() { all.append(copying: bytes.span) }
        return (incoming.answer, all)
    }
}
