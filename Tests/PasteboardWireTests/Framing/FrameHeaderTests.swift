import PasteboardWire
import TestSupport
import Testing

@Suite("FrameHeader", .pure)
struct FrameHeaderTests {
    @Test("A header has exactly these sixteen bytes")
    func goldenBytes() {
        var header = FrameHeader(.data, stream: 0x0102_0304_0506_0708, length: 0x0003_0201, flags: .last)
        header.descriptorCount = 5
        var encoder = FrameMemory()
        encoder.append(header: header)
        #expect(hex(encoder.bytes) == "01020300" + "30" + "01" + "05" + "01" + "0807060504030201")
        #expect(Self.header(in: encoder.bytes, at: 0) == header)
    }

    @Test("Every bit of a header is encoded and decoded", arguments: Seeds.fixed(1))
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let header = FrameHeader(words: generator.next(), generator.next())
            var encoder = FrameMemory()
            encoder.append(header: header)
            try #require(encoder.bytes.count == FrameHeader.byteCount)
            try #require(Self.header(in: encoder.bytes, at: 0) == header)
        }
    }

    @Test("Fewer than sixteen bytes are not a header, at any offset", .tags(.f05))
    func tooShort() {
        let bytes = [UInt8](repeating: 0, count: 20)
        for offset in [5, 19, 20, 21, Int.max, -1, Int.min] {
            #expect(Self.header(in: bytes, at: offset) == nil)
        }
        #expect(Self.header(in: bytes, at: 4) != nil)
        #expect(Self.header(in: [], at: 0) == nil)
    }

    private static func header(in bytes: [UInt8], at offset: Int) -> FrameHeader? {
        FrameHeader(bytes.span, at: offset)
    }

    @Test("Frames are appended one after the other, and each reports its position")
    func encoder() throws {
        var encoder = FrameMemory()
        var credit = Credit()
        credit.offset = 300
        let first = encoder.append(credit, stream: 3, flags: .mustUnderstand)
        let second = encoder.appendData([9], stream: 4, flags: .last)
        #expect(first == 0..<19)
        #expect(second == 19..<36)
        #expect(
            hex(encoder.bytes) == "03000000340200010300000000000000" + "08ac02" + "01000000300100010400000000000000"
                + "09"
        )
        encoder.removeAll()
        #expect(encoder.bytes.isEmpty)
    }
}
