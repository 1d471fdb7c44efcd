import PasteboardWire
import TestSupport
import Testing

@Suite("FrameDecoder", .pure)
struct FrameDecoderTests {
    /// Frames of all kinds one after the other: control, empty control, data, empty data, unknown.
    private static let stream: [UInt8] = {
        var encoder = FrameMemory()
        var hello = Hello()
        hello.label = "test"
        encoder.append(hello, stream: 0)
        encoder.append(Cancel(), stream: 3)
        encoder.appendData(Array("bytes of a load".utf8), stream: 4)
        encoder.appendData([], stream: 4, flags: .last)
        var unknown = FrameHeader(.end, stream: 9, length: 3, flags: .mustUnderstand)
        unknown.rawKind = 200
        encoder.append(header: unknown)
        var end = End()
        end.reason = .replaced
        let tail = FrameMemory.encoding(end, stream: 1)
        return encoder.bytes + [1, 2, 3] + tail
    }()

    private static func expected() throws -> [FrameCollector.Frame] {
        var collector = FrameCollector()
        try collector.push(Self.stream)
        return collector.frames
    }

    @Test("Frames that arrive together are decoded one by one")
    func whole() throws {
        var collector = FrameCollector()
        try collector.push(Self.stream)
        #expect(collector.frames.map(\.header.rawKind) == [1, 51, 48, 48, 200, 49])
        #expect(collector.frames.map(\.header.stream) == [0, 3, 4, 4, 9, 1])
        #expect(collector.frames.map(\.endsSequence) == [false, false, false, true, false, false])
        #expect(try Hello(decoding: collector.frames[0].payload).label == "test")
        #expect(collector.frames[2].payload == Array("bytes of a load".utf8))
        #expect(collector.frames[4].payload == [1, 2, 3])
        #expect(collector.frames[4].header.kind == nil)
        #expect(collector.frames[4].header.flags == .mustUnderstand)
        #expect(collector.pending.isEmpty)
        #expect(collector.faults.isEmpty)
    }

    @Test("Frames that arrive byte by byte are decoded to the same frames", .tags(.f08))
    func byteByByte() throws {
        var collector = FrameCollector()
        for byte in Self.stream {
            try collector.push([byte])
        }
        #expect(try collector.frames == Self.expected())
        #expect(collector.faults.isEmpty)
    }

    @Test("Frames split at random positions are decoded to the same frames", .tags(.f08), arguments: Seeds.fixed(1))
    func randomCuts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let expected = try Self.expected()
        for _ in 0..<500 {
            var collector = FrameCollector()
            var rest = Self.stream[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...40, using: &generator)
                try collector.push(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            try #require(collector.frames == expected)
            try #require(collector.faults.isEmpty)
        }
    }

    @Test("A truncated stream is decoded to its complete frames, and the rest is awaited")
    func truncated() throws {
        let expected = try Self.expected()
        for count in 0..<Self.stream.count {
            var collector = FrameCollector()
            try collector.push(Self.stream.prefix(count))
            #expect(collector.frames.count < expected.count)
            #expect(collector.frames == Array(expected.prefix(collector.frames.count)))
            try collector.push(Self.stream.dropFirst(count))
            #expect(collector.frames == expected)
        }
    }

    @Test("The available part of a data frame is delivered immediately")
    func partialData() throws {
        var encoder = FrameMemory()
        encoder.appendData([1, 2, 3, 4], stream: 1, flags: .last)
        var decoder = FrameDecoder()
        var offset = 0
        #expect(try decoder.next(in: Array(encoder.bytes.prefix(16)).span, at: &offset) == nil)
        #expect(offset == 0)
        let first = try #require(try decoder.next(in: Array(encoder.bytes.prefix(17)).span, at: &offset))
        #expect(first.payload == 16..<17)
        #expect(first.isFirst && !first.isLast && !first.endsSequence)
        #expect(decoder.isInsideFrame)
        #expect(try decoder.next(in: Array(encoder.bytes.prefix(17)).span, at: &offset) == nil)
        let second = try #require(try decoder.next(in: encoder.bytes.span, at: &offset))
        #expect(second.payload == 17..<20)
        #expect(!second.isFirst && second.isLast && second.endsSequence)
        #expect(!decoder.isInsideFrame)
    }

    @Test(
        "The maximum length of each kind, known or not, is accepted, and one more byte is refused",
        .tags(.f06),
        arguments: FrameKind.allCases.map(\.rawValue) + [0, 3, 47, 255]
    )
    func limits(kind: UInt8) throws {
        let limit = kind == FrameKind.data.rawValue ? WireLimits.dataLength : WireLimits.controlLength
        var collector = FrameCollector()
        try collector.push(Self.header(kind, length: UInt32(limit)) + [UInt8](repeating: 7, count: limit))
        #expect(collector.frames.map(\.header.rawKind) == [kind] && collector.frames.map(\.payload.count) == [limit])
        for length in [UInt32(limit) + 1, 1 << 31, UInt32.max] {
            Self.expectRefused(.protocolViolation, Self.header(kind, length: length))
        }
    }

    @Test("Before hello every kind is limited to 4 KiB, and to its own limit afterwards")
    func beforeHello() throws {
        for kind in [FrameKind.hello, .write, .data] {
            Self.expectRefused(.protocolViolation, Self.header(kind.rawValue, length: 4097), before: 4096)
        }
        var collector = FrameCollector(limitBeforeHello: WireLimits.helloLength)
        try collector.push(Self.header(1, length: 4096) + [UInt8](repeating: 0, count: 4096))
        #expect(collector.frames.count == 1)
        collector.decoder.limitBeforeHello = nil
        try collector.push(Self.header(16, length: 4097) + [UInt8](repeating: 0, count: 4097))
        #expect(collector.frames.count == 2)
    }

    @Test("Another version is refused in every frame except hello", .tags(.f88), arguments: [0, 2, 255] as [UInt8])
    func versions(version: UInt8) throws {
        for kind in FrameKind.allCases where kind != .hello {
            Self.expectRefused(.versionMismatch, Self.header(kind.rawValue, length: 0, version: version))
        }
        var collector = FrameCollector()
        try collector.push(Self.header(FrameKind.hello.rawValue, length: 0, version: version))
        #expect(collector.frames.map(\.header.version) == [version])
    }

    @Test(
        "Random bytes are refused or wait, and nothing beyond a header and a payload is kept",
        arguments: Seeds.fixed(1)
    )
    func randomBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            var collector = FrameCollector(limitBeforeHello: Bool.random(using: &generator) ? 4096 : nil)
            var bytes = generator.bytes(upTo: 200)
            // Use short lengths and known kinds sometimes; otherwise nearly all input would be refused at its first
            // bytes.
            if bytes.count > 16 {
                bytes[1] = 0
                bytes[2] = 0
                bytes[3] = 0
                bytes[6] = 0
                bytes[7] = 1
                bytes[4] = FrameKind.allCases.randomElement(using: &generator)?.rawValue ?? 0
            }
            do throws(Failure) {
                try collector.push(bytes)
            } catch {
                try #require([.protocolViolation, .versionMismatch].contains(error.code))
                continue
            }
            try #require(collector.pending.count < 16 + WireLimits.controlLength)
            try #require(collector.faults.isEmpty)
        }
    }

    private static func header(_ kind: UInt8, length: UInt32, version: UInt8 = 1) -> [UInt8] {
        var header = FrameHeader(.end, stream: 1, length: 0)
        header.rawKind = kind
        header.length = length
        header.version = version
        var encoder = FrameMemory()
        encoder.append(header: header)
        return encoder.bytes
    }

    private static func expectRefused(_ code: ErrorCode, _ bytes: [UInt8], before limit: Int? = nil) {
        let failure = #expect(throws: Failure.self) {
            var collector = FrameCollector(limitBeforeHello: limit)
            try collector.push(bytes)
        }
        #expect(failure?.code == code)
    }
}

extension FrameMemory {
    /// The bytes of a single frame.
    static func encoding(_ message: some WireMessage, stream: UInt64) -> [UInt8] {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream)
        return encoder.bytes
    }
}
