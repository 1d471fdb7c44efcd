import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The state that the lock of a ``LiveConnection`` guards: the socket, and the state of its streams.
struct ConnectionCore: ~Copyable {
    /// The maximum number of reads in one turn, so that a broker that sends without end does not delay requests.
    private static let readsPerTurn = 4

    var io: ConnectionIO
    var streams = ConnectionStreams()
    /// Whether the thread waits without a timeout.
    private var sleepsDeeply = false

    init(_ io: consuming ConnectionIO) {
        self.io = io
    }

    // `mutating`, because a borrowing call would copy the whole core for its callee.
    var isOver: Bool { mutating get { io.state.failure != nil } }

    /// The number of streams under way.
    // `mutating` likewise.
    var underWay: Int { mutating get { io.state.movingCount + streams.answers.count } }

    // `mutating` likewise.
    var takesRequests: Bool { mutating get { !isOver && io.state.farewell == nil } }

    var failure: Failure {
        io.state.failure ?? Failure(.brokerUnavailable, "the connection to the broker at \(io.path) is closed")
    }

    // MARK: The thread's turns

    /// The next wait of the thread.
    struct Wait {
        let wantsWrite: Bool
        let milliseconds: Int?
    }

    /// - Parameter isIdle: whether nothing happened during the last wait.
    /// - Returns: the wait; nil if the connection is over.
    mutating func nextWait(isIdle: Bool) -> Wait? {
        guard !isOver else { return nil }
        let next = io.nextCheck
        sleepsDeeply = next == .max && isIdle
        let left = next == .max ? io.timeouts.silence : Int(MonotonicClock.millisecondsLeft(until: next))
        return Wait(wantsWrite: io.wantsWrite, milliseconds: sleepsDeeply ? nil : left)
    }

    /// Whether the thread has to be woken after another thread has made a request, which sets a deadline to check. If
    /// the thread already waits with a timeout, because of an earlier request, it finds the deadline without being
    /// woken.
    mutating func needsWakeUp(waitedToWrite: Bool) -> Bool {
        if sleepsDeeply, io.nextCheck != .max {
            sleepsDeeply = false
            return true
        }
        return isOver || io.cannotWrite || io.wantsWrite && !waitedToWrite
    }

    mutating func turn(isReadable: Bool, _ effects: inout [ConnectionEffect]) {
        guard !isOver else { return }
        do throws(Failure) {
            if isReadable {
                for _ in 0..<Self.readsPerTurn {
                    if try !Self.pump(&io, to: &streams, &effects) { break }
                }
            } else {
                try io.check()
            }
        } catch {
            lose(error, &effects)
        }
        flush(&effects)
    }

    /// - Returns: whether there may be more to read.
    private static func pump(
        _ io: inout ConnectionIO,
        to streams: inout ConnectionStreams,
        _ effects: inout [ConnectionEffect]
    ) throws(Failure) -> Bool {
        let memory = io.memoryOfNextRead()
        return try io.pump { state, event, bytes in streams.handle(event, in: bytes, of: memory, &state, &effects) }
    }

    /// Writes the waiting frames to the socket, and continues the answers that waited for room in it.
    mutating func flush(_ effects: inout [ConnectionEffect]) {
        guard !isOver else { return }
        do throws(Failure) {
            try io.flush()
            while !streams.sendable.isEmpty, !io.wantsWrite {
                // Small answers share a write.
                repeat {
                    try send(streams.sendable.removeFirst(), &effects)
                } while !streams.sendable.isEmpty && io.waitingCount < WireLimits.sharedDataLength
                try io.flush()
            }
            while !streams.writes.isEmpty, !io.wantsWrite {
                try send(streams.writes.removeFirst(), &effects)
                try io.flush()
            }
        } catch {
            lose(error, &effects)
        }
        if !io.wantsWrite { streams.reportEnds(&effects) }
    }

    /// Ends the connection and all of its streams.
    mutating func lose(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        let isFirst = !isOver
        _ = io.state.connectionLost(failure)
        io.endWriting()
        streams.fail(failure, &effects)
        if isFirst { effects.append(.lost(failure)) }
    }

    mutating func cancel(_ request: any Request) {
        guard request.endsWhenCancelled, let stream = streams.remove(request) else { return }
        // Streams that the broker has opened have even numbers.
        if StreamID(stream).isOpenedByBroker { io.state.leave(stream) } else { io.state.cancel(stream) }
    }

    /// Makes the request of a load.
    mutating func open(_ load: DataLoad, _ effects: inout [ConnectionEffect]) {
        streams.open(load, &io.state, &effects, load.open)
    }

    // MARK: Answering

    /// Answers an ask with the result of its handler.
    mutating func finish(_ run: FinishedRun, _ effects: inout [ConnectionEffect]) {
        let (ask, result) = (run.ask, run.result)
        let owner = io.state.owner(of: ask)
        guard streams.answers.contains(owner) else {
            if case .success(.chunks(let chunks)) = result { effects.append(.cancelChunks(chunks)) }
            return streams.discard(result)
        }
        switch result {
        case .failure(let error):
            io.state.fail(ask, Failure(ofHandler: error))
            streams.discard(result)
            streams.forget(owner)
        case .success(.data(let data)):
            // Small data is a single frame, whose length is the size.
            if data.count > WireLimits.sharedDataLength { io.state.answer(ask, byteCount: UInt64(data.count)) }
            // A broker that uses the number of an ask again must not get a part of an earlier answer's bytes.
            streams.send(data, to: owner)
        case .success(.file(let file)):
            // A frame that passes a descriptor cannot mark the file as an archive.
            let (count, path, name) = (file.byteCount, file.path, file.name)
            if !file.isArchive, io.pass(file.descriptor, byteCount: count, path: path, fileName: name, on: ask) {
                return streams.forget(owner)
            }
            send(FileChunks(file), on: ask, of: owner)
        case .success(.chunks(let chunks)):
            send(chunks, on: ask, of: owner)
        }
    }

    /// Begins an answer of several chunks, with an empty chunk.
    private mutating func send(_ chunks: any ChunkSource, on ask: UInt64, of owner: UInt32) {
        let (content, name) = (chunks.isArchive ? ContentForm.folderArchive : nil, chunks.fileName)
        io.state.answer(ask, byteCount: chunks.byteCount, content: content, fileName: name)
        streams.answers[owner]?.chunks = chunks
        streams.send(Data(), to: owner)
    }

    /// Sends as much of an answer as its credit and the socket allow.
    private mutating func send(_ owner: UInt32, _ effects: inout [ConnectionEffect]) throws(Failure) {
        let index = Int(owner)
        guard let data = streams.answers.values[index]?.data, let ask = streams.answers.values[index]?.run.ask else {
            return
        }
        let chunks = streams.answers.values[index]?.chunks
        var sent = streams.answers.values[index]?.sent ?? 0
        if let chunks, sent == data.count { return streams.askNext(owner, of: chunks, &effects) }
        while let count = try io.send(data.span.extracting(sent..<data.count), on: ask, last: chunks == nil) {
            sent += count
            if sent == data.count {
                if let chunks { streams.askNext(owner, of: chunks, &effects) } else { streams.forget(owner) }
                return
            }
            try io.flush()
            if io.wantsWrite {
                streams.sendable.append(owner)
                break
            }
        }
        streams.answers[owner]?.sent = sent
    }

    // MARK: Writing

    /// Sends as many bytes of a write as the socket takes.
    private mutating func send(_ bytes: OutgoingBytes, _ effects: inout [ConnectionEffect]) throws(Failure) {
        var bytes = bytes
        let data = bytes.data
        // nil if the write has ended.
        while let count = try io.send(
            data.span.extracting(bytes.sent..<data.count),
            on: bytes.stream,
            last: bytes.isLast
        ) {
            bytes.sent += count
            if bytes.sent == data.count { break }
            try io.flush()
            if io.wantsWrite { return streams.writes.append(bytes) }
        }
        var failure: Failure?
        if bytes.sent == data.count {
            do throws(Failure) { try bytes.next?(&io.state) } catch { failure = error }
        }
        effects.append(.resolve(bytes.result, failure))
        streams.discard(bytes)
    }
}
