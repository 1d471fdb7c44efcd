import PasteboardTransport
import Testing

@Suite struct ReadBufferTests {
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
