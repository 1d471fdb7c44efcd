import PasteboardWire
import Testing

/// The frames that are written directly have the bytes of the encoded messages.
@Suite struct FrameMemoryTests {
    private var random = SeededGenerator(for: "FrameMemoryTests")

    private mutating func number() -> UInt64 {
        let bits = UInt64.random(in: 0...63, using: &random)
        return .random(in: 0...(UInt64.max >> bits), using: &random)
    }

    private mutating func name() -> String {
        String(repeating: "é.", count: .random(in: 0...80, using: &random)) + (Bool.random(using: &random) ? "x" : "")
    }

    private mutating func chance<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }

    @Test("An ask")
    mutating func asks() {
        for _ in 0..<5_000 {
            var ask = Ask()
            ask.handle = number()
            ask.item = UInt32(truncatingIfNeeded: number())
            ask.representation = UInt32(truncatingIfNeeded: number())
            ask.type = name()
            ask.credit = number()
            ask.maximumByteCount = chance(number())
            ask.descriptorWelcome = chance(true)
            ask.firstByteMilliseconds = number()
            ask.inPlaceWelcome = chance(true)
            let numbers = AskNumbers(
                handle: ask.handle ?? 0,
                item: ask.item ?? 0,
                representation: ask.representation ?? 0,
                credit: ask.credit ?? 0,
                maximumByteCount: ask.maximumByteCount,
                descriptorWelcome: ask.descriptorWelcome == true,
                firstByteMilliseconds: ask.firstByteMilliseconds ?? 0,
                inPlaceWelcome: ask.inPlaceWelcome == true
            )
            let stream = number()
            var (direct, encoded) = (FrameMemory(), FrameEncoder())
            #expect(direct.append(numbers, type: ask.type, stream: stream) == 0..<direct.count)
            encoded.append(ask, stream: stream)
            #expect(Array(direct.bytes.prefix(direct.count)) == encoded.bytes, "seed \(random.seed)")
        }
    }

    @Test("An answer")
    mutating func answers() {
        for _ in 0..<5_000 {
            let numbers = AnswerNumbers(
                handle: number(),
                item: UInt32(truncatingIfNeeded: number()),
                byteCount: chance(number()),
                itemCount: UInt32(truncatingIfNeeded: number()),
                content: chance(ContentForm(rawValue: UInt32(truncatingIfNeeded: number())))
            )
            let answer = Answer(numbers, type: name(), suggestedName: chance(name()))
            let stream = number()
            var (direct, encoded) = (FrameMemory(), FrameEncoder())
            let range = direct.append(
                numbers,
                type: answer.type ?? "",
                suggestedName: answer.suggestedName,
                stream: stream
            )
            #expect(range == 0..<direct.count)
            encoded.append(answer, stream: stream)
            #expect(Array(direct.bytes.prefix(direct.count)) == encoded.bytes, "seed \(random.seed)")
        }
    }
}
