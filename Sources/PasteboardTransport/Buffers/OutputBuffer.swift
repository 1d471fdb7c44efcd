import CPasteboardSystem
import Glibc
package import PasteboardWire

/// The bytes of one connection that its socket has not taken yet.
///
/// There are two queues of whole frames. Control frames are sent before stream frames, but a frame that has been sent
/// in part is finished first. A flush is one `sendmsg` of the rest of that frame, the control queue and the stream
/// queue. A frame that passes descriptors is sent in a separate message, because the kernel delivers descriptors with
/// the first byte of a message and may join neighbouring messages.
package struct OutputBuffer: ~Copyable {
    private var control = ByteQueue()
    private var stream = ByteQueue()
    private var deliveries = MarkQueue<Delivery>()
    private var passages = MarkQueue<(descriptors: [DescriptorBox], name: UInt64)>()

    package init() {}

    // `mutating`, because a borrowing call would copy the whole buffer for its callee, and these are read for each
    // frame.
    package var isEmpty: Bool { mutating get { control.isEmpty && stream.isEmpty } }
    package var controlCount: Int { mutating get { control.count } }
    /// The number of bytes that have been sent from the control queue.
    package var controlPosition: UInt64 { mutating get { control.position } }
    package var streamCount: Int { mutating get { stream.count } }
    /// Overwrites the memory of stream frames from now on when they have been sent, because they contain secret bytes.
    package mutating func wipeStream() { stream.wipes = true }
    /// The numbers of bytes in both queues.
    package var counts: (control: Int, stream: Int) { mutating get { (control.count, stream.count) } }

    // MARK: Filling

    /// Appends whole frames to the control queue.
    package mutating func appendControl(_ frames: Span<UInt8>) {
        control.append(frames.bytes)
    }

    /// Appends whole frames to the stream queue.
    package mutating func appendStream(_ frames: Span<UInt8>) {
        stream.append(frames.bytes)
    }

    /// Appends a frame to the stream queue, or the rest of one whose start was sent from other memory.
    package mutating func appendStream(_ frame: Span<UInt8>, isUnfinished: Bool) {
        stream.append(frame.bytes)
        if isUnfinished { stream.beginInsideFrame() }
    }

    /// Appends one frame to the stream queue. `header` contains the payload's length.
    package mutating func appendStream(header: FrameHeader, payload: Span<UInt8>) {
        precondition(Int(header.length) == payload.count)
        let room = stream.reserve(FrameHeader.byteCount + payload.count)
        header.store(at: room)
        // The room holds the header and as many bytes as the span has.
        payload.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: room + FrameHeader.byteCount, count: $0.count).copyMemory(from: $0)
        }
        stream.commit(FrameHeader.byteCount + payload.count)
    }

    /// Appends one frame to the stream queue. `fill` writes the payload in place, at most `limit` bytes, and returns
    /// the header, whose length is set from the written bytes. If it returns nil, nothing is appended.
    package mutating func appendStream<Failure>(
        upTo limit: Int,
        fill: (inout OutputSpan<UInt8>) throws(Failure) -> FrameHeader?
    ) throws(Failure) {
        let room = stream.reserve(FrameHeader.byteCount + limit)
        // The `limit` bytes after the header, which nothing else uses until the commit.
        let payload = UnsafeMutableBufferPointer(
            start: (room + FrameHeader.byteCount).assumingMemoryBound(to: UInt8.self),
            count: limit
        )
        var output = OutputSpan(buffer: payload, initializedCount: 0)
        let header: FrameHeader?
        do throws(Failure) {
            header = try fill(&output)
        } catch {
            stream.wipeReserved(FrameHeader.byteCount + limit)
            throw error
        }
        let count = output.finalize(for: payload)
        guard var header else { return }
        header.length = UInt32(count)
        header.store(at: room)
        stream.commit(FrameHeader.byteCount + count)
    }

    /// Marks the end of the stream queue: a flush reports `delivery` when all bytes before it are in the socket.
    package mutating func mark(_ delivery: Delivery) {
        deliveries.append(delivery, at: stream.end)
    }

    /// Passes `descriptors`, which must not be empty, with the frame that is appended to the stream queue next. They
    /// are released when its first byte has been sent.
    ///
    /// - Parameter name: identifies the frame in the outcome of a flush if the system refuses to pass the descriptors.
    package mutating func markDescriptors(_ descriptors: [DescriptorBox], name: UInt64) {
        precondition(!descriptors.isEmpty && descriptors.count <= PBS_MAX_DESCRIPTORS)
        passages.append((descriptors, name), at: stream.end)
    }

    /// Drops the stream frames that are still to begin.
    package mutating func dropStreamFrames() {
        stream.truncate(to: stream.restOfFrame)
    }

    /// Changes the payloads of the control frames of a kind that are still to begin.
    package mutating func changeControl(_ kind: FrameKind, _ change: (inout MutableSpan<UInt8>) -> Void) {
        control.change(kind, change)
    }

    // MARK: Sending

    /// Sends whole stream frames directly from the caller's memory, after the control frames that wait. The caller
    /// appends the frames that the socket does not take.
    ///
    /// - Returns: the number of bytes of `frames` that are in the socket; 0 if the stream queue is not empty.
    package mutating func sendThrough(_ frames: Span<UInt8>, to socket: CInt) throws(SystemError) -> Int {
        // Descriptors that are marked for the next frame would be sent with these.
        guard stream.isEmpty, passages.nextPosition == nil else { return 0 }
        let waiting = control.pointer()
        let waitingCount = control.count
        let taken = try System.callUnlessBlocked("sendmsg") {
            // The span outlives the call, and the kernel only reads it.
            frames.withUnsafeBytes {
                pbs_send(socket, waiting, waitingCount, $0.baseAddress, $0.count, nil, 0, nil, 0)
            }
        }
        control.consume(min(taken ?? 0, waitingCount))
        guard let taken, taken > waitingCount else { return 0 }
        control.releaseStorage()
        return taken - waitingCount
    }

    /// Sends one stream frame directly from the caller's memory, after the control frames that wait. Bytes that the
    /// socket does not take are appended to the stream queue; so is the whole frame if the stream queue is not empty.
    ///
    /// - Returns: whether the whole frame is in the socket. Otherwise the caller may `mark` its end.
    package mutating func sendThrough(
        header: FrameHeader,
        payload: Span<UInt8>,
        to socket: CInt
    ) throws(SystemError) -> Bool {
        precondition(Int(header.length) == payload.count)
        // Descriptors that are marked for the next frame would be sent with this one.
        guard stream.isEmpty, passages.nextPosition == nil else {
            appendStream(header: header, payload: payload)
            return false
        }
        let (first, second) = header.words
        let words: InlineArray<2, UInt64> = [first.littleEndian, second.littleEndian]
        let headerBytes = words.span.bytes
        let waiting = control.pointer()
        let waitingCount = control.count
        let taken = try System.callUnlessBlocked("sendmsg") {
            // Both spans outlive the call, and the kernel only reads them.
            headerBytes.withUnsafeBytes { header in
                payload.withUnsafeBytes { payload in
                    pbs_send(
                        socket,
                        waiting,
                        waitingCount,
                        header.baseAddress,
                        header.count,
                        payload.baseAddress,
                        payload.count,
                        nil,
                        0
                    )
                }
            }
        }
        control.consume(min(taken ?? 0, waitingCount))
        guard let taken, taken > waitingCount else {
            appendStream(header: header, payload: payload)
            return false
        }
        control.releaseStorage()
        let sent = taken - waitingCount
        if sent == FrameHeader.byteCount + payload.count { return true }
        if sent < FrameHeader.byteCount { stream.append(headerBytes.extracting(sent...)) }
        stream.append(payload.extracting(max(0, sent - FrameHeader.byteCount)...).bytes)
        stream.beginInsideFrame()
        return false
    }

    /// Sends until the queues are empty or the socket is full.
    ///
    /// Appends the marks whose bytes are in the socket to `delivered`, in order. After `refused` there may be more to
    /// send.
    package mutating func flush(
        to socket: CInt,
        delivered: inout [Delivery]
    ) throws(SystemError) -> FlushOutcome {
        var outcome = FlushOutcome.empty
        while !isEmpty {
            let plan = plan()
            let sent: Int?
            do throws(SystemError) {
                sent = try send(plan, to: socket)
            } catch {
                guard plan.descriptors, error.refusesDescriptors, let name = dropPassage() else { throw error }
                outcome = .refused(name)
                break
            }
            guard let sent else {
                outcome = .blocked
                break
            }
            advance(by: sent, along: plan)
            if sent < plan.count {
                outcome = .blocked
                break
            }
        }
        while let delivery = deliveries.take(upTo: stream.position) { delivered.append(delivery) }
        if control.isEmpty { control.releaseStorage() }
        if stream.isEmpty { stream.releaseStorage() }
        return outcome
    }

    /// Sends the control frames that wait, and passes a descriptor with the first, which announces it and must be the
    /// first frame of the connection. If that is not possible, the frames wait, and the first announces none.
    package mutating func sendControl(passing descriptor: CInt?, to socket: CInt) {
        let waiting = control.pointer()
        let waitingCount = control.count
        let sent = descriptor.flatMap { descriptor in
            try? System.callUnlessBlocked("sendmsg") {
                pbs_send(socket, waiting, waitingCount, nil, 0, nil, 0, [descriptor], 1)
            }
        }
        guard let sent, sent > 0 else { return control.announceNoDescriptor() }
        control.consume(min(sent, waitingCount))
    }

    /// The contents of one message: the rest of a frame of the stream queue that has been sent in part, bytes of the
    /// control queue, and further bytes of the stream queue.
    private struct Plan {
        var unfinished = 0
        var control = 0
        var stream = 0
        var descriptors = false

        var count: Int { unfinished + control + stream }
    }

    private mutating func plan() -> Plan {
        var plan = Plan()
        if stream.isInsideFrame { plan.unfinished = stream.restOfFrame }
        plan.control = control.count
        guard let passage = passages.nextPosition, passage < stream.end else {
            plan.stream = stream.count - plan.unfinished
            return plan
        }
        // The next frame with descriptors begins at `passage`, which is a boundary: never inside the unfinished one.
        plan.stream = Int(passage - stream.position) - plan.unfinished
        if plan.count == 0 {
            plan.stream = stream.frameLength()
            plan.descriptors = true
        }
        return plan
    }

    private mutating func send(_ plan: Plan, to socket: CInt) throws(SystemError) -> Int? {
        let unfinished = stream.pointer()
        let rest = stream.pointer(at: plan.unfinished)
        let control = control.pointer()
        guard plan.descriptors else {
            return try System.callUnlessBlocked("sendmsg") {
                pbs_send(socket, unfinished, plan.unfinished, control, plan.control, rest, plan.stream, nil, 0)
            }
        }
        let numbers = passages.next?.descriptors.map(\.raw) ?? []
        let sent = try System.callUnlessBlocked("sendmsg") {
            pbs_send(socket, rest, plan.stream, nil, 0, nil, 0, numbers, CInt(numbers.count))
        }
        // The descriptors were delivered with the first byte. The rest of the frame, if any, is sent without them.
        if sent != nil { _ = passages.take(upTo: stream.position) }
        return sent
    }

    /// Drops the next frame, which passes descriptors.
    private mutating func dropPassage() -> UInt64? {
        let passage = passages.take(upTo: stream.position)
        stream.consume(stream.frameLength())
        return passage?.name
    }

    private mutating func advance(by sent: Int, along plan: Plan) {
        let unfinished = min(sent, plan.unfinished)
        let control = min(sent - unfinished, plan.control)
        stream.consume(unfinished)
        self.control.consume(control)
        stream.consume(sent - unfinished - control)
    }
}

/// A number of bytes of a load that a socket has taken.
package struct Delivery: Equatable, Sendable {
    package let load: UInt64
    package let count: Int

    package init(load: UInt64, count: Int) {
        self.load = load
        self.count = count
    }
}

package enum FlushOutcome: Equatable, Sendable {
    /// Everything is in the socket.
    case empty
    /// The socket is full: flush again when it is writable.
    case blocked
    /// The system refused to pass the descriptors of the frame with this name, which has been dropped. The caller sends
    /// an error in its place, and flushes again.
    case refused(UInt64)
}

extension SystemError {
    /// Whether too many descriptors of this user are in flight, memory is short, or the receiver accepts none. The
    /// socket is intact, and frames without descriptors may pass.
    package var refusesDescriptors: Bool { [ETOOMANYREFS, ENOMEM, ENOBUFS, EPERM].contains(errno) }
}

extension FrameHeader {
    /// Stores the 16 bytes in memory that has room for them.
    fileprivate func store(at memory: UnsafeMutableRawPointer) {
        let (first, second) = words
        memory.storeBytes(of: first.littleEndian, as: UInt64.self)
        memory.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
}
