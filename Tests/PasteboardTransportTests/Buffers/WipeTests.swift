import Glibc
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardTransport

/// Buffers whose memory is overwritten, because secret bytes have passed through them.
@Suite(.pure) struct WipeTests {
    @Test("Bytes that have left a queue, were moved in it or cut off, are overwritten", arguments: [true, false])
    func queue(_ wipes: Bool) throws {
        let frame = Self.frame(count: 1_000)
        var queue = ByteQueue()
        queue.wipes = wipes
        queue.append(frame.span.bytes)
        queue.append(frame.span.bytes)
        queue.append(frame.span.bytes)
        let first = queue.pointer()
        let start = try #require(first)
        queue.consume(2_500)
        #expect(Self.isZero(start, 0..<2_500) == wipes)
        // The memory has 4096 bytes: the rest of 548 bytes moves to the front, which is free.
        queue.append([UInt8](repeating: 9, count: 2_000).span.bytes)
        let (front, count) = (queue.pointer(), queue.count)
        #expect(front == start && count == 2_548)
        #expect(Self.isZero(start, 2_548..<3_048) == wipes)
        queue.truncate(to: 548)
        #expect(Self.isZero(start, 548..<2_548) == wipes)
    }

    @Test("Bytes that stay in a queue are not overwritten when it needs more memory")
    func growth() throws {
        let frame = Self.frame(count: 1_000)
        var queue = ByteQueue()
        queue.wipes = true
        for _ in 0..<3 { queue.append(frame.span.bytes) }
        queue.consume(frame.count)
        queue.append([UInt8](repeating: 9, count: 1_500).span.bytes)
        let first = queue.pointer()
        let start = try #require(first)
        let bytes = (0..<queue.count).map { start.load(fromByteOffset: $0, as: UInt8.self) }
        #expect(bytes == frame + frame + [UInt8](repeating: 9, count: 1_500))
    }

    @Test("A payload that could not be read completely is overwritten")
    func failedPayload() throws {
        var buffer = OutputBuffer()
        buffer.wipeStream()
        var start: UnsafeRawPointer?
        #expect(throws: CancellationError.self) {
            try buffer.appendStream(upTo: 100) { payload in
                payload.append(7)
                start = payload.withUnsafeMutableBufferPointer { bytes, _ in UnsafeRawPointer(bytes.baseAddress) }
                throw CancellationError()
            }
        }
        #expect(Self.isZero(try #require(start), 0..<1))
    }

    @Test("The memory of a read is overwritten as far as any earlier read has filled it")
    func read() throws {
        let ends = try Socket.pair()
        var buffer = ReadBuffer()
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        for count in [3_000, 10] {
            try System.write([UInt8](repeating: 7, count: count).span, to: ends.first.raw)
            _ = try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors)
            buffer.keep(unconsumedFrom: count, into: &carry)
        }
        let memory = UnsafeRawPointer(buffer.memoryOfNextRead().lend(0..<3_000))
        #expect(!Self.isZero(memory, 10..<3_000))
        buffer.wipe()
        #expect(Self.isZero(memory, 0..<3_000))
    }

    @Test("A memory file is overwritten and keeps its size")
    func file() throws {
        let file = try MemoryFile()
        try file.append([UInt8](repeating: 7, count: 200_001).span)
        try file.wipe()
        var bytes = [UInt8](repeating: 1, count: 200_002)
        #expect(pread(file.descriptor.raw, &bytes, 200_002, 0) == 200_001)
        #expect(bytes.dropLast().allSatisfy { $0 == 0 })
    }

    private static func frame(count: Int) -> [UInt8] {
        var encoder = FrameMemory()
        encoder.appendData([UInt8](repeating: 7, count: count), stream: 1)
        return encoder.bytes
    }

    private static func isZero(_ start: UnsafeRawPointer, _ range: Range<Int>) -> Bool {
        range.allSatisfy { start.load(fromByteOffset: $0, as: UInt8.self) == 0 }
    }
}
