import BrokerState
import PasteboardTransport
import PasteboardWire

/// Data frames for one destination that follow each other in the memory into which they were read.
///
/// Only the stream number in their headers differs from what the source sent. So they are sent from there, with one
/// call and without a copy, when all of the read has been processed. A run is closed before that, which copies it into
/// the destination's queue, if something has to be queued after it.
struct Run {
    let destination: PeerID
    var bytes: Range<Int>
}

/// A frame of a run: the end of its bytes, and the load to which they belong.
struct RunFrame {
    let end: Int
    let delivery: Delivery
}

extension BrokerLoop {
    /// Adds a frame, or the first part of one, to the run.
    ///
    /// - Parameter bytes: the memory of the read, in which the new header is stored.
    /// - Returns: false if the bytes cannot be sent from where they are; the run has ended then.
    mutating func addToRun(
        _ chunk: FrameChunk,
        _ data: OutgoingData,
        to destination: PeerID,
        in bytes: inout MutableSpan<UInt8>
    ) -> Bool {
        let frame = chunk.payload.lowerBound - FrameHeader.byteCount..<chunk.payload.upperBound
        let start: Int
        if let run = openRun, chunk.isFirst, run.destination == destination, run.bytes.upperBound == frame.lowerBound {
            start = run.bytes.lowerBound
        } else {
            endRun(in: bytes.span, isLast: false)
            start = frame.lowerBound
        }
        guard chunk.isFirst, chunk.payload.count <= data.frameLength, openRun != nil || mayBeginRun(to: destination)
        else {
            endRun(in: bytes.span, isLast: false)
            return false
        }
        let flags: FrameFlags = data.last ? .last : .none
        FrameHeader(.data, stream: data.stream, length: chunk.payload.count, flags: flags)
            .store(in: &bytes, at: frame.lowerBound)
        openRun = Run(destination: destination, bytes: start..<frame.upperBound)
        runFrames.append(
            RunFrame(end: frame.upperBound, delivery: Delivery(load: data.load.rawValue, count: chunk.payload.count))
        )
        return true
    }

    private mutating func mayBeginRun(to destination: PeerID) -> Bool {
        guard let target = find(destination) else { return false }
        return !connections[target].isWriteClosed && connections[target].output.streamCount == 0
            && !connections[target].isHeld
    }

    /// Sends the run. A few bytes are queued instead, to share a write with others.
    ///
    /// - Parameter isLast: whether all of the read has been processed.
    mutating func endRun(in bytes: Span<UInt8>, isLast: Bool) {
        guard let run = openRun else { return }
        guard isLast && isAlone || run.bytes.count >= Self.directSendSize else { return closeRun(in: bytes) }
        openRun = nil
        // The answers of the loads precede their bytes. If this ends the source, because it reads nothing, the errors
        // of its loads precede the run too; the destination then ignores the bytes.
        performOutbox()
        guard let target = find(run.destination) else { return runFrames.removeAll(keepingCapacity: true) }
        if logsFrames { logSent(bytes.extracting(run.bytes), to: run.destination) }
        // The outbox that precedes the run may have led to a hold.
        guard !connections[target].isHeld else { return queue(run, in: bytes, from: run.bytes.lowerBound, to: target) }
        do throws(SystemError) {
            let socket = connections[target].descriptor.raw
            let sent = try connections[target].output.sendThrough(bytes.extracting(run.bytes), to: socket)
            queue(run, in: bytes, from: run.bytes.lowerBound + sent, to: target)
        } catch {
            runFrames.removeAll(keepingCapacity: true)
            if connections[target].writeFailed() { unflushed.append(run.destination) }
        }
    }

    /// Copies the run into the destination's queue.
    mutating func closeRun(in bytes: Span<UInt8>) {
        guard let run = openRun else { return }
        openRun = nil
        guard let target = find(run.destination) else { return runFrames.removeAll(keepingCapacity: true) }
        if logsFrames { logSent(bytes.extracting(run.bytes), to: run.destination) }
        queue(run, in: bytes, from: run.bytes.lowerBound, to: target)
    }

    /// Queues the part of a run that the socket has not taken. The frames before `offset` have been delivered.
    private mutating func queue(_ run: Run, in bytes: Span<UInt8>, from offset: Int, to target: ConnectionSlot) {
        var start = run.bytes.lowerBound
        for frame in runFrames {
            if frame.end <= offset {
                if frame.delivery.count > 0 { deliveries.append(frame.delivery) }
            } else {
                let rest = bytes.extracting(max(start, offset)..<frame.end)
                connections[target].output.appendStream(rest, isUnfinished: start < offset)
                if frame.delivery.count > 0 { connections[target].output.mark(frame.delivery) }
            }
            start = frame.end
        }
        if start > offset { flushLater(target) }
        // `removeAll` calls generic code, which costs as much as a dozen of these.
        while !runFrames.isEmpty { runFrames.removeLast() }
    }
}

extension FrameHeader {
    fileprivate func store(in bytes: inout MutableSpan<UInt8>, at offset: Int) {
        let (first, second) = words
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe bytes.mutableBytes
        memory.storeBytes(of: first.littleEndian, toByteOffset: offset, as: UInt64.self)
        memory.storeBytes(of: second.littleEndian, toByteOffset: offset + 8, as: UInt64.self)
    }
}
