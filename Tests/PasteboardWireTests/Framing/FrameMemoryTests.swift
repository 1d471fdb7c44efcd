import PasteboardWire
import TestSupport
import Testing

/// The frames that are written directly have the bytes of the encoded messages.
@Suite(.pure) struct FrameMemoryTests {
    private var random = SeededGenerator(seed: 0)

    private mutating func number() -> UInt64 {
        let bits = UInt64.random(in: 0...63, using: &random)
        return .random(in: 0...(UInt64.max >> bits), using: &random)
    }

    private mutating func name() -> String {
        String(repeating: "é.", count: .random(in: 0...80, using: &random)) + (Bool.random(using: &random) ? "x" : "")
    }

    private mutating func chance<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }

    @Test("An ask", arguments: Seeds.fixed(1))
    mutating func asks(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
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
                handle: EncodedHandle(ask.handle ?? 0),
                item: ask.item ?? 0,
                representation: ask.representation ?? 0,
                credit: ask.credit ?? 0,
                maximumByteCount: ask.maximumByteCount,
                descriptorWelcome: ask.descriptorWelcome == true,
                firstByteMilliseconds: ask.firstByteMilliseconds ?? 0,
                inPlaceWelcome: ask.inPlaceWelcome == true
            )
            let stream = number()
            var (direct, encoded) = (FrameMemory(), FrameMemory())
            let range = direct.append(numbers, type: ask.type.utf8.span, stream: stream)
            try #require(range == 0..<direct.count)
            encoded.append(ask, stream: stream)
            try #require(direct.bytes == encoded.bytes)
        }
    }

    @Test("An answer", arguments: Seeds.fixed(1))
    mutating func answers(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let numbers = AnswerNumbers(
                handle: EncodedHandle(number()),
                item: UInt32(truncatingIfNeeded: number()),
                byteCount: chance(number()),
                itemCount: UInt32(truncatingIfNeeded: number()),
                content: chance(ContentForm(rawValue: UInt32(truncatingIfNeeded: number())))
            )
            let type = name()
            let answer = Answer(numbers, type: type, suggestedName: chance(name()))
            let stream = number()
            var (direct, encoded) = (FrameMemory(), FrameMemory())
            let range = direct.append(
                numbers,
                type: type.utf8.span,
                suggestedName: answer.suggestedName,
                stream: stream
            )
            try #require(range == 0..<direct.count)
            encoded.append(answer, stream: stream)
            try #require(direct.bytes == encoded.bytes)
        }
    }

    @Test("A load, whatever its fields are", arguments: Seeds.fixed(1))
    mutating func loads(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            var load = Load()
            load.handle = chance(number())
            load.board = chance(name())
            load.ifChangeCount = chance(number())
            load.item = chance(UInt32(truncatingIfNeeded: number()))
            for _ in 0..<([1, 1, 1, 0, 2].randomElement(using: &random) ?? 1) {
                let accept = Accept(name(), match: chance(Match(rawValue: UInt32(truncatingIfNeeded: number()))))
                load.accepts.append(accept)
            }
            load.preference = chance(Preference(rawValue: UInt32(truncatingIfNeeded: number())))
            load.maximumByteCount = chance(number())
            load.descriptorWelcome = chance(number() & 1 == 1)
            load.timeoutMilliseconds = chance(number())
            load.inPlaceWelcome = chance(number() & 1 == 1)
            load.isAutomatic = chance(number() & 1 == 1)
            if Int.random(in: 0..<8, using: &random) == 0 { load.requires = [1, 300] }
            let (credit, stream) = (number(), number())
            var (direct, encoded) = (FrameMemory(), FrameMemory())
            direct.append(Ask(), stream: 2)
            encoded.append(Ask(), stream: 2)
            let start = direct.count
            let first = direct.append(load, credit: credit, stream: stream)
            try #require(first == start..<direct.count)
            let repeated = EncodedLoad(load, standardCredit: credit)
            let end = direct.count
            let second = direct.append(repeated, stream: stream &+ 2)
            try #require(second == end..<direct.count)
            load.credit = credit
            encoded.append(load, stream: stream)
            encoded.append(load, stream: stream &+ 2)
            try #require(direct.bytes == encoded.bytes)
            try #require(EncodedLoad(load, standardCredit: 1).credit == credit)
            try #require(repeated.handle == load.handle && repeated.maximumByteCount == load.maximumByteCount)
            try #require(repeated.descriptorWelcome == (load.descriptorWelcome == true))
        }
    }

    @Test("Frames that are removed from the end leave the others as they were")
    func removeFromStart() {
        var memory = FrameMemory()
        let first = memory.append(Ask(), stream: 2)
        let second = memory.append(End(), stream: 4)
        memory.removeAll(from: second.lowerBound)
        #expect(memory.count == first.count)
        memory.append(header: FrameHeader(.data, stream: 6, length: 0, flags: .last))
        var encoded = FrameMemory()
        encoded.append(Ask(), stream: 2)
        encoded.append(header: FrameHeader(.data, stream: 6, length: 0, flags: .last))
        #expect(memory.bytes == encoded.bytes)
    }
}
