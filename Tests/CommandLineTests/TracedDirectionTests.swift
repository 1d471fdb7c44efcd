import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// One direction of a traced connection, between two pairs of sockets.
@Suite(.pure) struct TracedDirectionTests {
    private let source: (first: DescriptorBox, second: DescriptorBox)
    private let target: (first: DescriptorBox, second: DescriptorBox)

    init() throws {
        source = try Socket.pair().shared()
        target = try Socket.pair().shared()
    }

    private func direction() -> TracedDirection {
        TracedDirection(1, .toBroker, from: source.second.raw, to: target.first.raw)
    }

    /// A file for the lines, which the tests do not read.
    private func output() throws -> TraceOutput { try TraceOutput(path: "/dev/null") }

    /// Reads at most `count` bytes at the target.
    private func read(_ count: Int) throws -> (bytes: [UInt8], descriptors: Int) {
        var buffer = ReadBuffer(readSize: count)
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        guard case .bytes = try buffer.receive(from: target.second.raw, carry: &carry, descriptors: &descriptors) else {
            return ([], descriptors.count)
        }
        var bytes: [UInt8] = []
        buffer.withBytes { bytes.append(copying: $0) }
        return (bytes, descriptors.count)
    }

    @Test("A descriptor is forwarded with the frame that announces it, and not with earlier frames of the same read")
    func descriptor() throws {
        var encoder = FrameEncoder()
        encoder.append(Cancel(), stream: 1)
        let plain = encoder.bytes
        encoder.removeAll()
        encoder.append(header: FrameHeader(.data, stream: 3, length: 0, flags: .last, descriptorCount: 1))
        let file = try MemoryFile()
        #expect(try Socket.send(plain.span, to: source.first.raw) == plain.count)
        #expect(try Socket.send(encoder.bytes.span, passing: [file.descriptor], to: source.first.raw) == 16)
        var direction = direction()
        var buffer = ReadBuffer()
        direction.step(source: .readable, target: [], through: &buffer, try output())
        // Both were in one read, and nothing is left.
        #expect(direction.wantsRead && direction.counts == "2 frames, 32 bytes, 1 descriptor")
        let first = try read(plain.count)
        #expect(first == (plain, 0))
        let second = try read(100)
        #expect(second == (encoder.bytes, 1))
    }

    @Test("Descriptors of frames that were sent together are forwarded with their frames")
    func together() throws {
        let frames = ([3, 5] as [UInt64]).map { stream in
            var encoder = FrameEncoder()
            encoder.append(header: FrameHeader(.data, stream: stream, length: 0, flags: .last, descriptorCount: 1))
            return encoder.bytes
        }
        let files = [try MemoryFile().descriptor, try MemoryFile().descriptor]
        #expect(try Socket.send((frames[0] + frames[1]).span, passing: files, to: source.first.raw) == 32)
        var direction = direction()
        var buffer = ReadBuffer()
        direction.step(source: .readable, target: [], through: &buffer, try output())
        #expect(direction.counts == "2 frames, 32 bytes, 2 descriptors")
        for frame in frames {
            let forwarded = try read(100)
            #expect(forwarded == (frame, 1))
        }
    }

    @Test("A descriptor that arrives with the begin of a frame stays with it, after the rest of one that had its own")
    func parts() throws {
        var encoder = FrameEncoder()
        let payload: [UInt8] = [0x32, 3, 0x61, 0x62, 0x63]
        let header = FrameHeader(.answer, stream: 1 << 32, length: 5, flags: .last, descriptorCount: 1)
        encoder.append(header: header)
        let frame = encoder.bytes + payload
        var direction = direction()
        var buffer = ReadBuffer()
        func forward(_ parts: [(bytes: ArraySlice<UInt8>, file: DescriptorBox?)]) throws {
            for part in parts {
                let files = part.file.map { [$0] } ?? []
                #expect(
                    try Socket.send(Array(part.bytes).span, passing: files, to: source.first.raw) == part.bytes.count
                )
            }
            direction.step(source: .readable, target: [], through: &buffer, try output())
            for part in parts {
                let forwarded = try read(part.bytes.count)
                #expect(forwarded == (Array(part.bytes), part.file == nil ? 0 : 1))
            }
        }
        let file = try MemoryFile().descriptor
        try forward([(frame[..<18], file)])
        try forward([(frame[18...], nil), (frame[..<7], file)])
        try forward([(frame[7...], nil)])
        #expect(direction.counts == "2 frames, 42 bytes, 2 descriptors")
    }

    @Test("Bytes that are no frames are forwarded unchanged, with their descriptors")
    func undecodable() throws {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 | 0x80) }
        let file = try MemoryFile()
        var direction = direction()
        var buffer = ReadBuffer()
        for _ in 0..<2 {
            #expect(try Socket.send(bytes.span, passing: [file.descriptor], to: source.first.raw) == 1_000)
            direction.step(source: .readable, target: [], through: &buffer, try output())
            let forwarded = try read(2_000)
            #expect(forwarded == (bytes, 1))
        }
        #expect(direction.counts == "2000 bytes, 2 descriptors")
    }

    @Test("Nothing is read while the target is full, and the end follows the last byte")
    func backPressure() throws {
        let bytes = [UInt8](repeating: 0xFF, count: 1 << 20)
        var direction = direction()
        var buffer = ReadBuffer()
        var sent = 0
        while direction.wantsRead {
            sent += try Socket.send(bytes.span, to: source.first.raw) ?? 0
            direction.step(source: .readable, target: [], through: &buffer, try output())
        }
        let wantsWrite = direction.wantsWrite
        #expect(wantsWrite)
        // Until the source is full, too.
        while let count = try Socket.send(bytes.span, to: source.first.raw) { sent += count }
        try Socket.endWriting(source.first.raw)
        var received = 0
        while true {
            let count = try read(1 << 20).bytes.count
            received += count
            direction.step(source: .readable, target: .writable, through: &buffer, try output())
            if count == 0 && direction.isOver { break }
        }
        #expect(received == sent)
        let isGone = direction.isGone
        #expect(!isGone)
        #expect(try System.read(target.second.raw, upTo: 1).isEmpty)
    }

    @Test("A connection is over when the broker has closed it, also if it ended its sending direction before")
    func closed() throws {
        // The connection gets descriptors of its own, so that the last one of the broker's end can be closed here.
        var broker = Optional(try Socket.pair().shared())
        let connection = TracedConnection(
            1,
            program: try System.duplicate(source.second.raw),
            broker: try System.duplicate(broker?.first.raw ?? -1)
        )
        var buffer = ReadBuffer()
        func step() throws {
            let interests = connection.interests
            let ready = try System.poll([interests.program, interests.broker], milliseconds: 0)
            connection.step(ready: (ready[0], ready[1]), through: &buffer, try output())
        }
        try Socket.endWriting(broker?.second.raw ?? -1)
        try step()
        #expect(!connection.isOver)
        #expect(try System.read(source.first.raw, upTo: 1).isEmpty)
        // The program may still send.
        #expect(try Socket.send([1, 2].span, to: source.first.raw) == 2)
        try step()
        #expect(try System.read(broker?.second.raw ?? -1, upTo: 3) == [1, 2])
        #expect(!connection.isOver)
        broker = nil
        try step()
        #expect(connection.isOver)
    }
}
