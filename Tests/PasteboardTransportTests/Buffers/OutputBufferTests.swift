import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct OutputBufferTests {
    @Test("If stream frames are dropped, the rest of one that has begun and the control frames are still sent")
    func dropping() throws {
        let ends = try Socket.pair()
        Socket.setBuffers(of: ends.first.raw, bytes: 1)
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        for number in 0...2 {
            buffer.appendStream(frame(.data, number: number, [UInt8](repeating: 7, count: 50_000)).span)
        }
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked)
        buffer.dropStreamFrames()
        buffer.appendControl(frame(.credit, number: 0, []).span)
        var reader = FrameReader()
        while !buffer.isEmpty {
            try reader.read(from: ends.second.raw, upTo: 20_000)
            _ = try buffer.flush(to: ends.first.raw, delivered: &delivered)
        }
        while try reader.read(from: ends.second.raw, upTo: 20_000) {}
        #expect(reader.stream.map(\.number) == [0])
        #expect(reader.control.count == 1)
    }

    @Test(
        "Random mixes of frames over small sockets arrive completely, in the order of the queue, exactly marked",
        arguments: Seeds.fixed(1, 2, 3)
    )
    func randomMixes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ends = try Socket.pair()
        Socket.setBuffers(of: ends.first.raw, bytes: 1)
        var buffer = OutputBuffer()
        var reader = FrameReader()
        var appended = (control: 0, stream: 0)
        var marked: [Delivery] = []
        var delivered: [Delivery] = []
        var streamBytes = 0
        // The position of each mark in the stream queue.
        var positions: [Int] = []

        func payload(_ count: Int, _ number: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ number) }
        }

        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1:
                let bytes = payload(Int.random(in: 0..<200, using: &random), appended.control)
                buffer.appendControl(frame(.credit, number: appended.control, bytes).span)
                appended.control += 1
            case 2...4:
                let bytes = payload(Int.random(in: 0..<9000, using: &random), appended.stream)
                let header = FrameHeader(.data, stream: UInt64(appended.stream), length: bytes.count)
                switch step % 3 {
                case 0:
                    buffer.appendStream(header: header, payload: bytes.span)
                case 1:
                    buffer.appendStream(upTo: bytes.count + 50) { output in
                        for byte in bytes { output.append(byte) }
                        return header
                    }
                default:
                    _ = try buffer.sendThrough(header: header, payload: bytes.span, to: ends.first.raw)
                }
                streamBytes += 16 + bytes.count
                appended.stream += 1
                if Bool.random(using: &random) {
                    marked.append(Delivery(load: UInt64(marked.count), count: bytes.count))
                    positions.append(streamBytes)
                    buffer.mark(marked[marked.count - 1])
                }
            case 5...6:
                let before = delivered.count
                _ = try buffer.flush(to: ends.first.raw, delivered: &delivered)
                // Exactly the bytes that have left the queue are in the socket and reported.
                let inSocket = streamBytes - buffer.streamCount
                #expect(delivered.count >= before)
                #expect(delivered.count == positions.count { $0 <= inSocket })
            default:
                try reader.read(from: ends.second.raw, upTo: Int.random(in: 1..<20_000, using: &random))
            }
        }
        while try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked {
            try reader.read(from: ends.second.raw, upTo: 1 << 16)
        }
        while try reader.read(from: ends.second.raw, upTo: 1 << 16) {}

        #expect(buffer.controlCount + buffer.streamCount == 0)
        #expect(delivered == marked)
        #expect(reader.control.map(\.number) == Array(0..<appended.control))
        #expect(reader.stream.map(\.number) == Array(0..<appended.stream))
        for frame in reader.control + reader.stream {
            #expect(frame.payload == payload(frame.payload.count, frame.number))
        }
    }

    @Test("A control frame waits for a stream frame that has begun, and precedes those that have not")
    func controlOvertakesAtBoundaries() throws {
        let ends = try Socket.pair()
        Socket.setBuffers(of: ends.first.raw, bytes: 1)
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        let large = [UInt8](repeating: 7, count: 200_000)
        buffer.appendStream(frame(.data, number: 0, large).span)
        buffer.appendStream(frame(.data, number: 1, [1]).span)
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked)
        buffer.appendControl(frame(.cancel, number: 9, []).span)

        var reader = FrameReader()
        while try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked {
            try reader.read(from: ends.second.raw, upTo: 1 << 16)
        }
        while try reader.read(from: ends.second.raw, upTo: 1 << 16) {}
        #expect(reader.order == [0, 9, 1])
    }

    @Test("A stream frame does not break a control frame that has begun")
    func controlIsFinishedFirst() throws {
        let ends = try Socket.pair()
        Socket.setBuffers(of: ends.first.raw, bytes: 1)
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        for number in 0..<40 {
            buffer.appendControl(frame(.credit, number: number, [UInt8](repeating: 1, count: 3000)).span)
        }
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked)
        _ = try buffer.sendThrough(
            header: FrameHeader(.data, stream: 100, length: 2),
            payload: [1, 2].span,
            to: ends.first.raw
        )
        buffer.appendControl(frame(.credit, number: 40, []).span)
        var reader = FrameReader()
        while try buffer.flush(to: ends.first.raw, delivered: &delivered) == .blocked {
            try reader.read(from: ends.second.raw, upTo: 1000)
        }
        while try reader.read(from: ends.second.raw, upTo: 1 << 16) {}
        #expect(reader.order == Array(0...40) + [100])
    }

    @Test("Descriptors arrive with the first byte of their frame and are released when it has left")
    func descriptors() throws {
        let ends = try Socket.pair()
        let pipe = try System.pipe()
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        buffer.appendStream(frame(.data, number: 0, [1, 2, 3]).span)
        buffer.markDescriptors([DescriptorBox(try System.duplicate(pipe.first.raw))], name: 1)
        buffer.appendStream(frame(.answer, number: 1, [4], descriptors: 1).span)
        buffer.appendStream(frame(.data, number: 2, [5]).span)
        buffer.markDescriptors(
            [
                DescriptorBox(try System.duplicate(pipe.first.raw)),
                DescriptorBox(try System.duplicate(pipe.second.raw)),
            ],
            name: 3
        )
        buffer.appendStream(frame(.answer, number: 3, [], descriptors: 2).span)
        buffer.mark(Delivery(load: 5, count: 1))
        buffer.appendControl(frame(.credit, number: 4, []).span)
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .empty)
        #expect(delivered == [Delivery(load: 5, count: 1)])

        var reader = FrameReader()
        while try reader.read(from: ends.second.raw, upTo: 1 << 16) {}
        #expect(reader.order == [4, 0, 1, 2, 3])
        #expect(reader.passed == [1: 1, 3: 2])
    }

    @Test("A frame for which descriptors are marked is not sent without them")
    func marked() throws {
        let ends = try Socket.pair()
        var buffer = OutputBuffer()
        buffer.markDescriptors([DescriptorBox(try System.duplicate(ends.first.raw))], name: 1)
        let answer = frame(.answer, number: 1, [4], descriptors: 1)
        let sent = try buffer.sendThrough(answer.span, to: ends.first.raw)
        let header = FrameHeader(.answer, stream: 1, length: 1, descriptorCount: 1)
        let isSent = try buffer.sendThrough(header: header, payload: [4].span, to: ends.first.raw)
        #expect(sent == 0 && !isSent)
        var delivered: [Delivery] = []
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .empty)
        var reader = FrameReader()
        try reader.read(from: ends.second.raw, upTo: 100)
        #expect(reader.passed == [1: 1])
    }

    @Test("If the system does not pass a descriptor, only its frame is lost", .enabled(if: Self.canRefuse))
    func refused() throws {
        let ends = try Socket.pair()
        Socket.setPassesDescriptors(ends.second.raw, false)
        let pipe = try System.pipe()
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        buffer.appendStream(frame(.data, number: 0, [1, 2, 3]).span)
        for number in 1...2 {
            buffer.markDescriptors([DescriptorBox(try System.duplicate(pipe.first.raw))], name: UInt64(number))
            buffer.appendStream(frame(.answer, number: number, [4], descriptors: 1).span)
        }
        buffer.mark(Delivery(load: 5, count: 0))
        buffer.appendStream(frame(.data, number: 3, [5]).span)
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .refused(1))
        #expect(delivered.isEmpty)
        buffer.appendControl(frame(.error, number: 4, []).span)
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .refused(2))
        #expect(delivered == [Delivery(load: 5, count: 0)])
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .empty)

        var reader = FrameReader()
        while try reader.read(from: ends.second.raw, upTo: 1 << 16) {}
        #expect(reader.order == [0, 4, 3])
        Socket.setPassesDescriptors(ends.second.raw, true)
        buffer.markDescriptors([DescriptorBox(try System.duplicate(pipe.first.raw))], name: 5)
        buffer.appendStream(frame(.answer, number: 5, [], descriptors: 1).span)
        #expect(try buffer.flush(to: ends.first.raw, delivered: &delivered) == .empty)
    }

    /// A receiver that accepts no descriptors is the only refusal that the superuser gets too.
    private static var canRefuse: Bool {
        guard let ends = try? Socket.pair() else { return false }
        return Socket.setPassesDescriptors(ends.second.raw, false)
    }

    @Test("A write to a peer that has ended is an error, not a signal")
    func peerIsGone() throws {
        var ends: DescriptorPair? = try Socket.pair()
        let near = try System.duplicate(ends?.first.raw ?? -1)
        ends = nil
        var buffer = OutputBuffer()
        var delivered: [Delivery] = []
        buffer.appendStream(frame(.data, number: 0, [1]).span)
        #expect(throws: SystemError.self) { try buffer.flush(to: near.raw, delivered: &delivered) }
    }
}

private func frame(_ kind: FrameKind, number: Int, _ payload: [UInt8], descriptors: UInt8 = 0) -> [UInt8] {
    var encoder = FrameMemory()
    encoder.append(
        header: FrameHeader(kind, stream: UInt64(number), length: payload.count, descriptorCount: descriptors)
    )
    return encoder.bytes + payload
}

/// Reads what a buffer sent, frame by frame, with the descriptors of each message.
private struct FrameReader: ~Copyable {
    struct Frame {
        let number: Int
        let payload: [UInt8]
    }

    var control: [Frame] = []
    var stream: [Frame] = []
    var order: [Int] = []
    var passed: [Int: Int] = [:]
    private var bytes: [UInt8] = []
    private var descriptors = ReceivedDescriptors()

    /// Returns false if there was nothing to read.
    @discardableResult
    mutating func read(from socket: CInt, upTo limit: Int) throws -> Bool {
        guard limit > 0 else { return true }
        var buffer = ReadBuffer(readSize: limit)
        var carry: [UInt8] = []
        guard case .bytes = try buffer.receive(from: socket, carry: &carry, descriptors: &descriptors) else {
            return false
        }
        buffer.withBytes { span in
            span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }
        var offset = 0
        while let header = FrameHeader(bytes.span, at: offset), bytes.count - offset - 16 >= Int(header.length) {
            let end = offset + 16 + Int(header.length)
            let frame = Frame(number: Int(header.stream), payload: Array(bytes[offset + 16..<end]))
            if header.kind == .data || header.kind == .answer { stream.append(frame) } else { control.append(frame) }
            order.append(frame.number)
            if header.descriptorCount > 0 {
                passed[frame.number] = (0..<Int(header.descriptorCount)).count { _ in (try? descriptors.take()) != nil }
            }
            offset = end
        }
        bytes.removeFirst(offset)
        return true
    }
}
