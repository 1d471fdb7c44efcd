import Glibc
import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// A connection that sends any bytes and returns frames as they are, without judging them.
final class FrameSocket {
    private let descriptor: OwnedDescriptor
    private var output = OutputBuffer()
    private var buffer = ReadBuffer()
    private var descriptors = ReceivedDescriptors()
    private var input: [UInt8] = []
    /// The start of the next frame in `input`.
    private var start = 0
    /// Whether nothing more is read.
    private(set) var hasEnded = false
    private(set) var oversizedHeader: FrameHeader?

    var raw: CInt { descriptor.raw }

    init(_ descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Sends bytes, with a descriptor if there is one. Returns whether the other side took them before the deadline; a
    /// lost connection counts as that, because reading shows it.
    func send(_ bytes: [UInt8], passing file: DescriptorBox? = nil, deadline: UInt64) -> Bool {
        if let file { output.markDescriptors([file], name: 0) }
        output.appendStream(bytes.span)
        var delivered: [Delivery] = []
        while MonotonicClock.now() < deadline {
            do {
                // A descriptor that the system does not pass takes its frame with it, which the answer shows.
                guard try output.flush(to: raw, delivered: &delivered) == .blocked else { return true }
                let wait = Int(MonotonicClock.millisecondsLeft(until: deadline))
                _ = try System.poll([PollInterest(raw, .writable)], milliseconds: wait)
            } catch {
                return true
            }
        }
        return false
    }

    /// Returns the next frame that has arrived completely. After a header that announces more bytes than any frame may
    /// have, `oversizedHeader` contains it, and there are no more frames.
    func takeFrame() -> ReceivedFrame? {
        let input = self.input
        guard let header = FrameHeader(input.span, at: start) else { return nil }
        guard header.length <= UInt32(WireLimits.dataLength) else {
            oversizedHeader = header
            hasEnded = true
            return nil
        }
        let payload = start + FrameHeader.byteCount
        let end = payload + Int(header.length)
        guard input.count >= end else { return nil }
        let passed = header.descriptorCount > 0 ? try? descriptors.take() : nil
        start = end
        return ReceivedFrame(header: header, payload: Array(input[payload..<end]), passed: passed?.sort)
    }

    /// Reads what has arrived.
    func read() {
        var carry: [UInt8] = []
        switch try? buffer.receive(from: raw, carry: &carry, descriptors: &descriptors) {
        case .bytes:
            input.removeFirst(start)
            start = 0
            buffer.withBytes { input.append(copying: $0) }
        case .wouldBlock: break
        case .endOfFile, nil: hasEnded = true
        }
    }

    /// Waits for a frame until the deadline. Nil means the end of the connection.
    func next(deadline: UInt64) throws(ExchangeFault) -> ReceivedFrame? {
        while true {
            if let frame = takeFrame() { return frame }
            if let header = oversizedHeader {
                throw ExchangeFault("a frame announces \(header.length) bytes", rule: "F3")
            }
            if hasEnded { return nil }
            let wait = Int(MonotonicClock.millisecondsLeft(until: deadline))
            let ready = try? System.poll([PollInterest(raw, .readable)], milliseconds: wait)
            guard ready?.first?.isEmpty == false else { throw ExchangeFault("nothing came", isSilence: true) }
            read()
        }
    }

    /// Ends the connection, and waits until the other side has noticed that. What it held for the connection is then
    /// released. Returns whether that was before the deadline.
    func end(deadline: UInt64) -> Bool {
        try? Socket.endWriting(raw)
        (input, start) = ([], 0)
        while !hasEnded {
            let wait = Int(MonotonicClock.millisecondsLeft(until: deadline))
            let ready = try? System.poll([PollInterest(raw, .readable)], milliseconds: wait)
            guard ready?.first?.isEmpty == false else { return false }
            // The frames have no meaning any more.
            input = []
            read()
        }
        return true
    }
}

extension DescriptorBox {
    fileprivate var sort: PassedDescriptor {
        if System.isFullySealed(raw) { return .sealed }
        // A file of the kept directory, which the broker passes in place of sealed memory.
        if System.isReadOnly(raw), (try? System.status(of: raw))?.mode == 0o400 { return .sealed }
        guard let status = try? System.status(of: raw), status.kind == .regular else { return .pipe }
        return System.isReadOnly(raw) ? .file : .memory
    }
}
