package import PasteboardClient
package import PasteboardTransport
package import PasteboardWire

/// A connection that is driven by the thread that uses it: the client of tests, of scripted peers, and of the floor of
/// benchmarks. It recovers nothing.
///
/// Requests and `turn` may alternate, but not nest. A load that was opened through `io` must be read by `turn`.
package final class BlockingConnection {
    /// Requests may be made on `io.state` between turns; the next turn sends them.
    package var io: ConnectionIO
    /// Events for other streams that were received while a request waited, each with the bytes that it refers to.
    private var stash: [(event: ClientEvent, bytes: [UInt8])] = []

    /// Takes ownership of a connected socket. Hello is sent with the first request.
    package init(adopting socket: consuming OwnedDescriptor, path: String, hello: Hello = Hello()) {
        io = ConnectionIO(adopting: socket, path: path, hello: hello)
    }

    // MARK: Waiting

    /// Sends the pending frames, waits until something happens or until `deadline` (see `MonotonicClock`), and passes
    /// events to `handle`, which may make requests on the state, but must not use this connection.
    ///
    /// - Parameter extra: further descriptors to wait for.
    /// - Returns: the events that are ready on `extra`, in its order.
    @discardableResult
    package func turn(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        guard !stash.isEmpty else { return try io.turn(extra: extra, until: deadline, handle) }
        let events = stash
        stash = []
        for (event, bytes) in events { handle(&io.state, event, bytes.span) }
        // The stashed events are work for the caller, so this does not wait.
        return try io.turn(extra: extra, until: 0, handle)
    }

    /// Takes turns until `handle` has made a result from the events of `stream`.
    private func result<Value>(
        of stream: UInt64,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Result<Value, Failure>?
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        while true {
            do throws(Failure) {
                try io.turn { state, event, bytes in
                    // The end of a publication may arrive together with the answer to its write.
                    if event.stream != stream || result != nil {
                        keep(event, bytes)
                    } else if case .failed(_, let failure) = event {
                        result = .failure(failure)
                    } else {
                        result = handle(&state, event, bytes)
                    }
                }
            } catch {
                // A request that ended before the connection did keeps its own result.
                if result == nil { throw error }
            }
            if let result { return try result.get() }
        }
    }

    /// Takes turns until `handle` has made a value from the events of `stream`.
    private func answer<Value>(on stream: UInt64, _ handle: (ClientEvent) -> Value?) throws(Failure) -> Value {
        try result(of: stream) { _, event, _ in handle(event).map { .success($0) } }
    }

    /// Keeps an event for the next turn of the caller.
    private func keep(_ event: ClientEvent, _ bytes: Span<UInt8>) {
        switch event {
        case .welcomed, .data: break
        case .asked(let stream, var ask):
            let type = ask.detachType(from: bytes)
            stash.append((.asked(stream, ask), type))
        default: stash.append((event, []))
        }
    }

    // MARK: Requests

    /// Waits until the broker has answered hello, and returns its answer.
    package func welcome() throws(Failure) -> Welcome {
        while true {
            if let welcome = io.state.welcome { return welcome }
            try io.turn { _, event, bytes in keep(event, bytes) }
        }
    }

    package func listing(of board: String = BoardName.general) throws(Failure) -> BoardListing {
        var list = List()
        list.board = board
        var listing = BoardListing()
        return try answer(on: try io.state.open(list)) { event in
            if case .contents(_, let contents) = event { listing.contents = contents }
            if case .item(_, let item) = event { listing.items.append(item) }
            return if case .ended = event { listing } else { nil }
        }
    }

    package func clear(_ clear: Clear = Clear()) throws(Failure) -> Committed {
        var committed = Committed()
        return try answer(on: try io.state.open(clear)) { event in
            if case .committed(_, let answer) = event { committed = answer }
            return if case .ended = event { committed } else { nil }
        }
    }

    package func status() throws(Failure) -> [StatusEntry] {
        var entries: [StatusEntry] = []
        return try answer(on: try io.state.open(Status())) { event in
            if case .statusEntry(_, let entry) = event { entries.append(entry) }
            return if case .ended = event { entries } else { nil }
        }
    }

    /// Makes the broker end, and returns before it has ended.
    package func stop() throws(Failure) -> End {
        try answer(on: try io.state.open(Stop())) { if case .ended(_, let end) = $0 { end } else { nil } }
    }

    /// Registers a destination, and returns its stream.
    package func register(_ destination: Destination) throws(Failure) -> UInt64 {
        let stream = try io.state.open(destination)
        try answer(on: stream) { if case .registered = $0 { () } else { nil } }
        return stream
    }

    // MARK: Loads

    /// Performs a load, and returns its answer after all bytes have arrived.
    ///
    /// - Parameters:
    ///   - file: called instead of `bytes` if the bytes arrive as a descriptor; otherwise they are read.
    ///   - bytes: called for each chunk, in order.
    @discardableResult
    package func load(
        _ load: Load,
        file handle: ((PassedFile) throws -> Void)? = nil,
        bytes consume: (Span<UInt8>) throws -> Void
    ) throws -> Answer {
        var opened = load
        opened.descriptorWelcome = load.descriptorWelcome ?? true
        let stream = try io.state.open(opened)
        var operation = LoadOperation(expecting: load.accepts.first?.type)
        var thrown: (any Error)?
        do {
            try result(of: stream) { state, event, bytes -> Result<Void, Failure>? in
                if case .bytes(let range) = operation.handle(event, in: bytes) {
                    do { try consume(bytes.extracting(range)) } catch {
                        thrown = error
                        state.cancel(stream)
                        return .failure(Failure(.cancelled, "the load was abandoned"))
                    }
                    if operation.end == nil { state.consumed(stream, count: range.count) }
                }
                return operation.end == nil ? nil : .success(())
            }
        } catch {
            throw thrown ?? error
        }
        guard case .passed(let descriptor, let answer) = operation.end.take() else {
            return operation.answer.take() ?? Answer()
        }
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

    // MARK: Writes

    /// The result of a write, or of the offer of a drag session. It exists as long as `stream`.
    package struct Written: Sendable {
        package let stream: UInt64
        package let committed: Committed
    }

    /// Writes items to a board, and returns after the broker has made them visible.
    package func write(_ write: Write, items: [WriteItem]) throws -> Written {
        try send(items, on: try io.state.open(write), passesMemory: write.terms?.isConcealed != true)
    }

    /// Offers items as a drag session, which can begin afterwards.
    package func offer(_ drag: Drag, items: [WriteItem]) throws -> Written {
        try send(items, on: try io.state.open(drag), passesMemory: true)
    }

    private func send(_ items: [WriteItem], on stream: UInt64, passesMemory: Bool) throws -> Written {
        for item in items {
            try io.state.add(item.message, to: stream)
            for (_, source) in item.representations { try send(source, on: stream, passesMemory: passesMemory) }
        }
        io.state.commit(stream, itemCount: items.count)
        let committed = try answer(on: stream) { event in
            if case .committed(_, let committed) = event { committed } else { nil }
        }
        return Written(stream: stream, committed: committed)
    }

    private func send(_ source: ByteSource, on stream: UInt64, passesMemory: Bool) throws {
        switch source {
        case .promised: break
        case .bytes(let bytes): try send(bytes, isLast: true, on: stream)
        case .memory(let file):
            let size = try file.size
            let isKept = file.isInDirectory || size > io.state.welcome?.keptDirectoryRoom ?? 0
            if passesMemory, isKept, io.passKept(file, on: stream) {
                repeat { try sendingStep(stream) } while io.wantsWrite
                guard io.takeRefusal(of: stream) else { return }
            }
            var offset: UInt64 = 0
            repeat {
                let count = Int(min(size - offset, UInt64(WireLimits.dataLength)))
                let bytes = try System.bytes(of: file.descriptor.raw, from: offset, count: count)
                guard bytes.count == count else { throw Failure(.invalidArgument, "the file is shorter than \(size)") }
                offset += UInt64(count)
                try send(bytes, isLast: offset == size, on: stream)
            } while offset < size
        case .pieces(_, let next):
            while true {
                let bytes = try next()
                try send(bytes, isLast: bytes.isEmpty, on: stream)
                if bytes.isEmpty { return }
            }
        }
    }

    private func send(_ bytes: [UInt8], isLast: Bool, on stream: UInt64) throws {
        var sent = 0
        while true {
            sent += try io.send(bytes.span.extracting(sent..<bytes.count), on: stream, last: isLast) ?? 0
            if sent == bytes.count { return }
            repeat { try sendingStep(stream) } while io.wantsWrite
        }
    }

    /// Takes one turn, and throws the failure of the stream, if it has failed.
    private func sendingStep(_ stream: UInt64) throws {
        var failure: Failure?
        try io.turn(untilSent: true) { _, event, bytes in
            if case .failed(stream, let reason) = event { failure = reason } else { keep(event, bytes) }
        }
        if let failure { throw failure }
    }
}
