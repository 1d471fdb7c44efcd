import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// One direction of a traced connection.
///
/// It reads only after it has written everything that it read before. So a receiver that does not read stops the sender,
/// as without a trace, and at most one read is held here.
struct TracedDirection: ~Copyable {
    /// Descriptors, and the offset of the byte that they are sent with.
    private struct Passage {
        let offset: Int
        let descriptors: [DescriptorBox]
    }

    private let number: Int
    private let direction: FrameLine.Direction
    private let source: CInt
    private let target: CInt

    private var reader = FrameReader()
    private var carry: [UInt8] = []
    private var received = ReceivedDescriptors()

    private var bytes: [UInt8] = []
    private var sentCount = 0
    /// In the order of their offsets.
    private var passages: [Passage] = []
    /// The number of descriptors that arrived with the frame whose rest is still to come.
    private var early = 0

    private var frameCount = 0
    private var byteCount = 0
    private var descriptorCount = 0

    /// Whether the source has sent everything.
    private var isAtEnd = false
    /// Whether the source has closed its socket.
    private var isSourceGone = false
    /// Whether the target takes no bytes any more.
    private var isTargetGone = false

    init(_ number: Int, _ direction: FrameLine.Direction, from source: CInt, to target: CInt) {
        self.number = number
        self.direction = direction
        self.source = source
        self.target = target
    }

    var wantsRead: Bool { !isAtEnd && !isTargetGone && bytes.isEmpty }
    /// Whether the source has ended its sending direction alone, so far.
    var awaitsClose: Bool { isAtEnd && !isSourceGone }
    var wantsWrite: Bool { !bytes.isEmpty && !isTargetGone }
    /// Whether nothing more will be sent.
    var isOver: Bool { isTargetGone || isAtEnd && bytes.isEmpty }
    /// Whether the source has closed its socket, and the target has everything that came before.
    var isGone: Bool { isSourceGone && isOver }

    /// Whether this direction ended, and the other one did not.
    func endedFirst(before other: borrowing TracedDirection) -> Bool { isSourceGone && !other.isSourceGone }

    /// The numbers of frames, bytes and descriptors, for a line.
    var counts: String {
        let descriptors =
            descriptorCount == 0 ? "" : ", \(descriptorCount) descriptor\(descriptorCount == 1 ? "" : "s")"
        let frames = reader.isStopped ? "" : "\(frameCount) frame\(frameCount == 1 ? "" : "s"), "
        return "\(frames)\(byteCount) byte\(byteCount == 1 ? "" : "s")\(descriptors)"
    }

    mutating func step(
        source ready: PollInterest.Readiness,
        target targetReady: PollInterest.Readiness,
        through buffer: inout ReadBuffer,
        _ output: TraceOutput
    ) {
        if wantsWrite, !targetReady.isEmpty { send(output) }
        if awaitsClose, ready.contains(.ended) { isSourceGone = true }
        guard wantsRead, !ready.isEmpty else { return }
        receive(through: &buffer, isSourceGone: ready.contains(.ended), output)
        send(output)
    }

    private mutating func receive(
        through buffer: inout ReadBuffer,
        isSourceGone: Bool,
        _ output: TraceOutput
    ) {
        let old = carry.count
        var outcome: ReceiveOutcome
        do throws(SystemError) {
            outcome = try buffer.receive(from: source, carry: &carry, descriptors: &received)
        } catch {
            // The source has closed its socket with unread bytes in it.
            self.isSourceGone = true
            outcome = .endOfFile
        }
        switch outcome {
        case .wouldBlock: break
        case .endOfFile:
            isAtEnd = true
            if isSourceGone { self.isSourceGone = true }
        case .bytes(let count):
            byteCount += count
            let arrived = takeDescriptors(output)
            let consumed = buffer.withBytes { input in
                bytes.removeAll(keepingCapacity: true)
                bytes.append(copying: input.extracting(old...))
                return describe(input, newFrom: old, with: arrived, output)
            }
            buffer.keep(unconsumedFrom: consumed, into: &carry)
        }
    }

    /// Prints the frames in `input`, and assigns the descriptors that arrived with it to those that announce them, in
    /// order. A descriptor arrives with the first byte of its frame or later, so the rest belongs to the frame at the end
    /// that is not complete, or to none; then the receiver refuses it.
    ///
    /// - Returns: the number of bytes that belong to whole frames.
    private mutating func describe(
        _ input: Span<UInt8>,
        newFrom old: Int,
        with arrived: [DescriptorBox?],
        _ output: TraceOutput
    ) -> Int {
        var rest = arrived[...]
        var consumed = 0
        var last = old
        var lines = ""
        do throws(Failure) {
            while let frame = try reader.next(in: input, at: &consumed) {
                frameCount += 1
                last = frame.offset
                let missing = max(0, Int(frame.header.descriptorCount) - early)
                early = 0
                pass(rest.prefix(missing), offset: last - old)
                rest = rest.dropFirst(missing)
                lines += FrameLine(connection: number, direction, frame.description.text).text
            }
        } catch {
            let text = "not a frame: \(error.text.visible); what follows is forwarded and not shown"
            lines += FrameLine(connection: number, direction, text).text
            consumed = input.count
        }
        output.print(lines)
        if consumed < input.count {
            early += rest.count
            last = consumed
        }
        pass(rest, offset: last - old)
        return consumed
    }

    /// - Parameter offset: the start of the frame in `bytes`; negative if it began in an earlier read.
    private mutating func pass(_ descriptors: ArraySlice<DescriptorBox?>, offset: Int) {
        let open = descriptors.compactMap(\.self)
        guard !open.isEmpty else { return }
        let offset = max(0, offset)
        if let known = passages.last, known.offset == offset {
            passages[passages.count - 1] = Passage(offset: offset, descriptors: known.descriptors + open)
        } else {
            passages.append(Passage(offset: offset, descriptors: open))
        }
    }

    /// The descriptors of this read; nil for each that the kernel dropped, so that the others keep their frames.
    private mutating func takeDescriptors(_ output: TraceOutput) -> [DescriptorBox?] {
        var descriptors: [DescriptorBox?] = []
        while !received.isEmpty {
            do throws(MissingDescriptor) {
                descriptors.append(try received.take())
                descriptorCount += 1
            } catch {
                descriptors.append(nil)
                note("a descriptor was lost: this process has too many open", output)
            }
        }
        return descriptors
    }

    private mutating func send(_ output: TraceOutput) {
        do throws(SystemError) {
            while sentCount < bytes.count {
                guard let count = try sendOnce(output) else { return }
                // The descriptors are in the socket with their first byte.
                if let next = passages.first, sentCount >= next.offset { passages.removeFirst() }
                sentCount += count
            }
            bytes.removeAll(keepingCapacity: true)
            sentCount = 0
            if isAtEnd { try Socket.endWriting(target) }
        } catch {
            // Its reason, if it has one, arrives in the other direction.
            isTargetGone = true
        }
    }

    /// Sends up to the byte that the next descriptors are sent with, or from it.
    private func sendOnce(_ output: TraceOutput) throws(SystemError) -> Int? {
        let isDue = passages.first.map { $0.offset <= sentCount } ?? false
        let end = passages.dropFirst(isDue ? 1 : 0).first?.offset ?? bytes.count
        let rest = bytes.span.extracting(sentCount..<end)
        guard isDue, let passage = passages.first else { return try Socket.send(rest, to: target) }
        do throws(SystemError) {
            return try Socket.send(rest, passing: passage.descriptors, to: target)
        } catch {
            guard error.refusesDescriptors else { throw error }
            note("a descriptor was lost: the system refused to pass it: \(error.reason)", output)
            return try Socket.send(rest, to: target)
        }
    }

    private func note(_ text: String, _ output: TraceOutput) {
        output.print(FrameLine(connection: number, direction, text).text)
    }
}
