import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct ReadBufferTests {
    @Test("Bytes that were not consumed precede the bytes of the next read")
    func carriesOver() throws {
        let ends = try Socket.pair()
        var buffer = ReadBuffer()
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        try System.write([1, 2, 3].span, to: ends.first.raw)
        #expect(
            try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .bytes(3)
        )
        buffer.keep(unconsumedFrom: 1, into: &carry)
        #expect(carry == [2, 3])
        #expect(
            try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .wouldBlock
        )
        #expect(carry == [2, 3])
        try System.write([4].span, to: ends.first.raw)
        #expect(
            try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .bytes(1)
        )
        #expect(carry.isEmpty)
        #expect(buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [2, 3, 4])
        buffer.keep(unconsumedFrom: 3, into: &carry)
        #expect(carry.isEmpty)
        #expect(buffer.count == 0)
    }

    @Test("Lent bytes stay as they were during later reads, until the borrower releases the memory")
    func lends() throws {
        let ends = try Socket.pair()
        var buffer = ReadBuffer()
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        var borrowed: [(memory: ReadMemory, bytes: UnsafeMutableRawBufferPointer)] = []
        for number in 0..<20 as Range<UInt8> {
            let memory = buffer.memoryOfNextRead()
            try System.write([0, number, number, 0xFF].span, to: ends.first.raw)
            #expect(try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .bytes(4))
            #expect(buffer.withBytes { bytes in bytes[1] } == number)
            if number % 2 == 0 { borrowed.append((memory, .init(start: memory.lend(1..<3), count: 2))) }
            // The rest of a read whose bytes are lent precedes the bytes of the next one.
            buffer.keep(unconsumedFrom: number % 3 == 0 ? 3 : 4, into: &carry)
            if number % 3 == 0 {
                _ = buffer.memoryOfNextRead()
                try System.write([7].span, to: ends.first.raw)
                let outcome = try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors)
                #expect(outcome == .bytes(1))
                #expect(buffer.withBytes { bytes in [bytes[0], bytes[1]] } == [0xFF, 7])
                buffer.keep(unconsumedFrom: 2, into: &carry)
            }
        }
        for (index, (memory, bytes)) in borrowed.enumerated() {
            #expect(Array(bytes) == [UInt8(2 * index), UInt8(2 * index)])
            memory.release()
        }
    }

    @Test("Bytes of one connection do not appear in the next")
    func changesConnections() throws {
        let one = try Socket.pair()
        let other = try Socket.pair()
        var buffer = ReadBuffer(readSize: 4)
        var carries: [[UInt8]] = [[], []]
        var descriptors = ReceivedDescriptors()
        try System.write([1, 2, 3, 4, 5].span, to: one.first.raw)
        try System.write([9].span, to: other.first.raw)
        #expect(try buffer.receive(from: one.second.raw, carry: &carries[0], descriptors: &descriptors) == .bytes(4))
        buffer.keep(unconsumedFrom: 0, into: &carries[0])
        #expect(try buffer.receive(from: other.second.raw, carry: &carries[1], descriptors: &descriptors) == .bytes(1))
        #expect(buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [9])
        buffer.keep(unconsumedFrom: 1, into: &carries[1])
        #expect(try buffer.receive(from: one.second.raw, carry: &carries[0], descriptors: &descriptors) == .bytes(1))
        #expect(buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } } == [1, 2, 3, 4, 5])
    }

    @Test("The end is reported after the peer's bytes")
    func endOfFile() throws {
        let ends = try Socket.pair()
        var buffer = ReadBuffer()
        var carry: [UInt8] = []
        var descriptors = ReceivedDescriptors()
        try System.write([1].span, to: ends.first.raw)
        try Socket.endWriting(ends.first.raw)
        #expect(try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .bytes(1))
        #expect(try buffer.receive(from: ends.second.raw, carry: &carry, descriptors: &descriptors) == .endOfFile)
    }
}
