package import PasteboardTransport
package import PasteboardWire

/// An ask of the broker for promised bytes, for code that answers it in a task of its own. Copies refer to the same
/// ask; one task at a time calls `send` or `wait`.
package struct AskStream: Sendable {
    /// Answers an ask. It is cancelled when the ask ends; if it throws, or ends before the last bytes, the load fails.
    package typealias Handler = @Sendable (AskStream) async throws -> Void

    private let stream: StreamReference
    package let fields: AskFields

    /// Returns an answerer that runs `handler` in a task of its own for each ask, because it may take any time.
    package static func answerer(_ handler: @escaping Handler) -> Answerer {
        { fields, stream in AskTask(AskStream(stream: stream, fields: fields), handler) }
    }

    package var connection: BrokerConnection { stream.connection }
    package var item: Int { Int(clamping: fields.item) }
    package var representation: Int { Int(clamping: fields.representation) }

    /// Whether the load has ended.
    package var isOver: Bool { stream.isOver }

    /// The number of bytes that may be sent now; 0 also while the socket is full.
    package var room: Int {
        connection.core.withLock { [slot = stream.slot, serial = stream.serial] core in
            guard core.streams.isOpen(slot, serial), core.io.waitingCount < WireLimits.sharedDataLength else {
                return 0
            }
            return core.io.state.sendable(core.streams.slots[slot].stream) ?? 0
        }
    }

    /// Waits until more bytes may be sent, for descriptors, or until a time (see `MonotonicClock`).
    ///
    /// - Parameter needsRoom: whether to wait for room.
    /// - Throws: `cancelled` if the load has ended, or the task is cancelled.
    package func wait(
        forRoom needsRoom: Bool,
        or interests: [PollInterest],
        until end: UInt64
    ) async throws(RequestFailure) {
        await stream.wait(for: needsRoom ? .room : .event, or: interests, until: end)
        if isOver || Task.isCancelled { throw .cancelled(at: .standing) }
    }

    // MARK: The answer

    /// Announces the size of the bytes, if it is known, and their form. May be called once, before the first byte.
    package func announce(byteCount: UInt64?, content: ContentForm? = nil, fileName: String? = nil) {
        stream.tell { $0.answer($1, byteCount: byteCount, content: content, fileName: fileName) }
    }

    /// Reports progress, so that the broker waits longer for the next bytes.
    package func report(completed: UInt64, of total: UInt64? = nil) {
        stream.tell { $0.progress($1, completed: completed, total: total) }
    }

    /// Reports that the load goes on, until the returned task is cancelled or the load ends.
    ///
    /// - Parameter interval: the time between two reports, in milliseconds.
    func startReports(every interval: Int) -> Task<Void, Never> {
        Task(executorPreference: connection.loop) {
            while !isOver {
                await connection.loop.sleep(until: MonotonicClock.deadline(milliseconds: interval))
                if Task.isCancelled { return }
                stream.use { core, stream in
                    // Reports that a broker does not read must not fill the memory.
                    guard core.io.waitingCount < WireLimits.sharedDataLength else { return }
                    core.io.state.progress(stream, completed: nil, total: nil)
                }
            }
        }
    }

    /// Answers with a descriptor: the bytes are the first `byteCount` of the file.
    ///
    /// - Returns: false if the ask accepts none; then the bytes are to be sent.
    package func pass(_ file: DescriptorBox, byteCount: UInt64) -> Bool {
        stream.answer(file, byteCount: byteCount, path: nil, fileName: nil)
    }

    /// Sends bytes, as fast as the destination takes them.
    package func send(_ bytes: [UInt8], isLast: Bool = false) async throws(RequestFailure) {
        guard await stream.send({ $0(bytes.span) }, isLast: isLast) else { throw .cancelled(at: .standing) }
    }

    /// Ends the load: all bytes were sent.
    package func end() { stream.endAnswer() }

    /// Fails the load, unless it has ended.
    fileprivate func fail(_ error: any Error) {
        let failure = error.asFailure ?? Failure(.sourceFailed, "\(error)")
        stream.endAnswer(failure)
    }
}

private final class AskTask: AskWork {
    private let ask: AskStream
    private let handler: AskStream.Handler
    private let task = CancellableTask()

    init(_ ask: AskStream, _ handler: @escaping AskStream.Handler) {
        self.ask = ask
        self.handler = handler
    }

    func start() {
        task.adopt(
            Task(executorPreference: ask.connection.loop) { [ask, handler] in
                do {
                    try await handler(ask)
                    ask.fail(Failure(.sourceFailed, "the source has ended the load"))
                } catch {
                    ask.fail(error)
                }
            }
        )
    }

    func cancel() {
        // Not on this thread, which may be the loop's: cancelling runs code of the program.
        Task(executorPreference: ask.connection.loop) { [task] in task.cancel() }
    }
}
