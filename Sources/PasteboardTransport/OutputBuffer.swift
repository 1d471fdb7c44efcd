import CPasteboardSystem
import Glibc
package import PasteboardWire

/// The bytes of one connection that its socket has not taken yet.
///
/// There are two queues of whole frames. Control frames go ahead of stream frames, but only between frames: one that has
/// begun to leave is finished first. A flush is one `sendmsg` over what is left of that frame, the control queue and the
/// stream queue. A frame that passes descriptors goes in a message of its own, because the kernel hands descriptors over
/// with the first byte of a message and joins neighbouring messages at will.
package struct OutputBuffer: ~Copyable {
    private var control = ByteQueue()
    private var stream = ByteQueue()
    private var deliveries = MarkQueue<Delivery>()
    private var passages = MarkQueue<(descriptors: [DescriptorBox], name: UInt64)>()

    package init() {}

    // `mutating`, because a borrowing call would copy the whole buffer for its callee, and these are asked for each frame.
    package var isEmpty: Bool { mutating get { control.isEmpty && stream.isEmpty } }
    package var controlCount: Int { mutating get { control.count } }
    /// How many bytes have left the control queue, ever.
    package var controlPosition: UInt64 { mutating get { control.position } }
    package var streamCount: Int { mutating get { stream.count } }

    // MARK: Filling

    /// Appends whole frames to the control queue.
    package mutating func appendControl(_ frames: Span<UInt8>) {
        control.append(frames.bytes)
    }

    /// Appends whole frames to the stream queue.
    package mutating func appendStream(_ frames: Span<UInt8>) {
        stream.append(frames.bytes)
    }

    /// Appends one frame to the stream queue. `header` tells the payload's length.
    package mutating func appendStream(header: FrameHeader, payload: Span<UInt8>) {
        precondition(Int(header.length) == payload.count)
        let room = stream.reserve(FrameHeader.byteCount + payload.count)
        header.store(at: room)
        stream.commit(FrameHeader.byteCount)
        stream.append(payload.bytes)
    }

    /// Appends one frame to the stream queue whose payload `fill` writes in place, at most `limit` bytes, and whose
    /// header it returns; the header's length is set from what was written. With nil nothing is appended.
    package mutating func appendStream<Failure>(
        upTo limit: Int,
        fill: (inout OutputSpan<UInt8>) throws(Failure) -> FrameHeader?
    ) throws(Failure) {
        let room = stream.reserve(FrameHeader.byteCount + limit)
        // The room behind the header, `limit` bytes, which nobody else uses until the commit.
        let payload = UnsafeMutableBufferPointer(
            start: (room + FrameHeader.byteCount).assumingMemoryBound(to: UInt8.self),
            count: limit
        )
        var output = OutputSpan(buffer: payload, initializedCount: 0)
        let header = try fill(&output)
        let count = output.finalize(for: payload)
        guard var header else { return }
        header.length = UInt32(count)
        header.store(at: room)
        stream.commit(FrameHeader.byteCount + count)
    }

    /// Notes at the end of the stream queue that the frames before it carry `delivery`; a flush reports it once all
    /// these bytes are in the socket.
    package mutating func mark(_ delivery: Delivery) {
        deliveries.append(delivery, at: stream.end)
    }

    /// Passes `descriptors`, which may not be empty, with the frame that is appended to the stream queue next. They are
    /// released once it has left.
    ///
    /// - Parameter name: what a flush calls the frame by where the system refuses to pass them.
    package mutating func markDescriptors(_ descriptors: [DescriptorBox], name: UInt64) {
        precondition(!descriptors.isEmpty && descriptors.count <= PBS_MAX_DESCRIPTORS)
        passages.append((descriptors, name), at: stream.end)
    }

    // MARK: Sending

    /// Sends one frame of the stream order straight from the caller's memory, behind the control frames that wait, if no
    /// other of its order does; what the socket does not take, or all of it, goes into the stream queue.
    ///
    /// - Returns: whether the whole frame is in the socket. Else the caller may want to `mark` its end.
    package mutating func sendThrough(
        header: FrameHeader,
        payload: Span<UInt8>,
        to socket: CInt
    ) throws(SystemError) -> Bool {
        precondition(Int(header.length) == payload.count)
        // A mark for descriptors without its frame would be met by this one.
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
    /// `delivered` gets the marks whose bytes are in the socket, in order, after what it held. With `refused` there may
    /// be more to send.
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

    /// What one message takes: bytes of the stream queue to the end of a frame under way, of the control queue, and of
    /// the stream queue behind the first piece.
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
        // They are with the first byte; the rest of the frame, if any, goes without them.
        if sent != nil { _ = passages.take(upTo: stream.position) }
        return sent
    }

    /// Forgets the frame with descriptors that is next.
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

/// So many bytes for a route.
package struct Delivery: Equatable, Sendable {
    package let route: UInt64
    package let count: Int

    package init(route: UInt64, count: Int) {
        self.route = route
        self.count = count
    }
}

package enum FlushOutcome: Equatable, Sendable {
    /// Everything is in the socket.
    case empty
    /// The socket is full: flush again when it is writable.
    case blocked
    /// The system would not pass the descriptors of the frame with this name, which has been dropped: say so in its
    /// place, and flush again.
    case refused(UInt64)
}

extension SystemError {
    /// Too many are in flight, be they a stranger's of this user; there is no memory; or the receiver takes none. Nothing
    /// is wrong with the socket, and what comes without descriptors may pass.
    fileprivate var refusesDescriptors: Bool { [ETOOMANYREFS, ENOMEM, ENOBUFS, EPERM].contains(errno) }
}

extension FrameHeader {
    /// Writes the 16 bytes to memory that has room for them.
    fileprivate func store(at memory: UnsafeMutableRawPointer) {
        let (first, second) = words
        memory.storeBytes(of: first.littleEndian, as: UInt64.self)
        memory.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
}
