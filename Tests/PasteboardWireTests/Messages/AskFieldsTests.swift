import PasteboardWire
import TestSupport
import Testing

/// Asks and answers, which are read in place.
@Suite(.pure) struct AskFieldsTests {
    @Test("A detached type is the only part of the bytes that the fields need")
    func detached() throws {
        let bytes: [UInt8] = [0xFF, 0x08, 7, 0x22, 3, 0x61, 0x2E, 0x62, 0xFF]
        var ask = try AskFields(decoding: bytes.span, range: 1..<8)
        let type = ask.detachType(from: bytes.span)
        #expect(type == Array("a.b".utf8) && ask.type(in: type.span) == "a.b" && ask.handle == 7)
    }

    private static let count = thinned(4_000, full: 20_000)

    /// Calls `check` with asks or answers and with mutated payloads.
    private func mutate(
        _ seed: UInt64,
        _ message: (inout SeededGenerator) -> [UInt8],
        _ check: ([UInt8]) throws -> Void
    ) rethrows {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.count {
            var bytes = message(&random)
            for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(bytes[index], at: index)
                case 3: bytes += message(&random)
                default: break
                }
            }
            try check(bytes)
        }
    }

    private static func number(_ random: inout SeededGenerator) -> UInt64? {
        let bits = UInt64.random(in: 0...64, using: &random)
        return Bool.random(using: &random) ? nil : .random(in: 0...(UInt64.max >> min(bits, 63)), using: &random)
    }

    private static func text(_ random: inout SeededGenerator) -> String? {
        ["public.png", "a", "", "public.utf8-plain-text", "Bücher und Größen", nil].randomElement(using: &random) ?? nil
    }

    /// Decodes the payload in the middle of other bytes, whose ranges must not be read.
    private func decoded<Value>(
        _ bytes: [UInt8],
        _ decode: (Span<UInt8>, Range<Int>) throws(Failure) -> Value
    ) -> Result<Value, Failure> {
        let all = [0xFF, 0xFF, 0xFF] + bytes + [UInt8](repeating: 0x01, count: 9)
        return Result { () throws(Failure) in try decode(all.span, 3..<3 + bytes.count) }
    }

    @Test(
        "Whatever the payload is, the fields are those of the decoded ask, or the error is the same",
        arguments: Seeds.fixed(1)
    )
    func asks(seed: UInt64) throws {
        var count = 0
        try mutate(seed) { random in
            var ask = Ask()
            ask.handle = Self.number(&random)
            ask.item = Self.number(&random).map { UInt32(truncatingIfNeeded: $0) }
            ask.representation = Self.number(&random).map { UInt32(truncatingIfNeeded: $0) }
            ask.type = Self.text(&random) ?? ""
            ask.credit = Self.number(&random)
            ask.maximumByteCount = Self.number(&random)
            ask.descriptorWelcome = Self.number(&random).map { $0 & 1 == 1 }
            ask.firstByteMilliseconds = Self.number(&random)
            ask.inPlaceWelcome = Self.number(&random).map { $0 & 1 == 1 }
            return ask.encoded
        } _: { bytes in
            let fields = decoded(bytes) { span, range throws(Failure) in
                let fields = try AskFields(decoding: span, range: range)
                var ask = Ask()
                ask.handle = fields.handle
                ask.item = fields.item
                ask.representation = fields.representation
                ask.type = fields.type(in: span)
                ask.credit = fields.credit
                ask.descriptorWelcome = fields.descriptorWelcome
                ask.firstByteMilliseconds = fields.firstByteMilliseconds
                ask.inPlaceWelcome = fields.inPlaceWelcome
                return ask
            }
            let ask = decoded(bytes) { span, range throws(Failure) in
                var ask = try Ask(decoding: span, range: range)
                // The fields have values where the message may have none.
                ask.handle = ask.handle ?? 0
                ask.item = ask.item ?? 0
                ask.representation = ask.representation ?? 0
                ask.credit = ask.credit ?? 0
                ask.maximumByteCount = nil
                ask.descriptorWelcome = ask.descriptorWelcome ?? false
                ask.inPlaceWelcome = ask.inPlaceWelcome ?? false
                return ask
            }
            try #require(fields == ask, "\(bytes)")
            if case .success = ask { count += 1 }
        }
        #expect(count > Self.count / 4)
    }

    @Test(
        "Whatever the payload is, the fields are those of the decoded answer, or the error is the same",
        arguments: Seeds.fixed(1)
    )
    func answers(seed: UInt64) throws {
        var count = 0
        try mutate(seed) { random in
            var answer = Answer()
            answer.handle = Self.number(&random)
            answer.item = Self.number(&random).map { UInt32(truncatingIfNeeded: $0) }
            answer.type = Self.text(&random)
            answer.byteCount = Self.number(&random)
            answer.itemCount = Self.number(&random).map { UInt32(truncatingIfNeeded: $0) }
            answer.suggestedName = Self.text(&random)
            answer.path = Self.text(&random)
            answer.content = Self.number(&random).map { ContentForm(rawValue: UInt32(truncatingIfNeeded: $0)) }
            return answer.encoded
        } _: { bytes in
            let answer = decoded(bytes) { span, range throws(Failure) in try Answer(decoding: span, range: range) }
            for expected in [nil, "public.png"] {
                let fields = decoded(bytes) { span, range throws(Failure) in
                    Answer(try AnswerFields(decoding: span, range: range), in: span, expecting: expected)
                }
                try #require(fields == answer, "\(bytes)")
            }
            if case .success = answer { count += 1 }
        }
        #expect(count > Self.count / 4)
    }
}
