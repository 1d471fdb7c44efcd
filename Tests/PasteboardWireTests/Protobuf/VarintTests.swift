import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct VarintTests {
    /// The numbers at which the length changes, and some with bits throughout.
    private static var numbers: [UInt64] {
        var numbers: [UInt64] = [.max]
        for bit in 0..<64 {
            let power = UInt64(1) << UInt64(bit)
            numbers += [power, power - 1, power | 1, 0x5A5A_A5A5_1234_8765 >> UInt64(bit)]
        }
        return numbers
    }

    @Test("A number is encoded as specified, and decoded at the end of the bytes and before further bytes")
    func everyLength() throws {
        for number in Self.numbers {
            var credit = Credit()
            credit.offset = number
            let encoded = credit.encoded
            #expect(encoded == [0x08] + varint(number))
            for rest in 0..<10 {
                // The bytes after the message are not read.
                let more = encoded + [UInt8](repeating: 0xFF, count: rest)
                let decoded = try Credit(decoding: more.span, range: 0..<encoded.count)
                #expect(decoded.offset == number)
                #expect(throws: Failure.self) { try Credit(decoding: more.span, range: 0..<encoded.count - 1) }
            }
        }
    }

    @Test("More than 64 bits, and a number without an end, are malformed")
    func tooLong() {
        for tail: [UInt8] in [[0x02], [0x7F], [0x80], [0x80, 0x01], [0xFF, 0xFF, 0xFF]] {
            let bytes = [0x08] + [UInt8](repeating: 0x80, count: 9) + tail
            #expect(throws: Failure.self) { try Credit(decoding: bytes) }
        }
    }

    @Test("Messages of every length around the initial capacity are encoded completely")
    func everyMessageLength() throws {
        for length in [0, 1, 7, 8, 9, 15, 16, 17, 126, 127, 128, 129] + Array(200..<300) + [1_000, 20_000] {
            let accept = Accept(String(repeating: "x", count: length))
            var load = Load()
            load.accepts = [accept, accept]
            load.handle = .max
            var frames = FrameMemory()
            let frame = frames.append(load, stream: 7)
            let header = FrameHeader(frames.bytes.span, at: 0)
            #expect(header?.length == UInt32(frame.count - FrameHeader.byteCount))
            let decoded = try Load(decoding: frames.bytes.span, range: FrameHeader.byteCount..<frame.upperBound)
            #expect(decoded == load)
        }
    }
}
