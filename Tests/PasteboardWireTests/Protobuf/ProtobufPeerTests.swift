import PasteboardWire
import TestSupport
import Testing

/// The golden bytes only show what this encoder does. Another implementation of protobuf has to confirm that it is
/// correct.
@Suite("Messages and Google's protobuf", .pure, .enabled(if: ProtobufPeer.isAvailable, "\(ProtobufPeer.missing)"))
struct ProtobufPeerTests {
    @Test(
        "Google's protobuf reads what the code encodes, and the code reads what it encodes again",
        arguments: Seeds.fixed(1)
    )
    func read(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var samples = try SchemaSample.all(.full) + SchemaSample.all(.zero)
        for _ in 0..<20 {
            samples += try SchemaSample.all(.random, using: &generator)
        }
        var messages: [any ProtobufMessage] = []
        var input = ""
        for sample in samples {
            let message = try decoded(sample.type, sample.bytes)
            messages.append(message)
            input += "\(sample.message) \(Self.shown(message.encoded))\n"
        }
        let answers = try ProtobufPeer.run(["read"], input: input)
        try #require(answers.count == messages.count)
        for (message, answer) in zip(messages, answers) {
            let words = answer.split(separator: " ").map(String.init)
            let messageType: any ProtobufMessage.Type = type(of: message)
            let comment = Comment("\(messageType)")
            #expect(words.dropFirst().sorted() == fieldLines(message), comment)
            let again = try decoded(messageType, bytes(hex: try #require(words.first)))
            #expect(fieldLines(again) == fieldLines(message), comment)
        }
    }

    @Test("The code reads what Google's protobuf encodes", arguments: Seeds.fixed(1))
    func write(seed: UInt64) throws {
        let messages = try ProtobufPeer.run(["write", "\(seed)", "20"])
        #expect(messages.count == 20 * MessageTypes.all.count)
        for line in messages {
            let words = line.split(separator: " ").map(String.init)
            let type = try #require(MessageTypes.named[words[0]])
            let message = try decoded(type, bytes(hex: words[1]))
            #expect(fieldLines(message) == words.dropFirst(2).sorted(), "\(words[0])")
        }
    }

    @Test(
        "The code and Google's protobuf refuse the same malformed messages, and read the same in all others",
        arguments: Seeds.fixed(1)
    )
    func malformed(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var inputs: [(type: any ProtobufMessage.Type, name: String, bytes: [UInt8])] = []
        for _ in 0..<40 {
            for sample in try SchemaSample.all(.random, using: &generator) {
                let bytes = Self.damaged(sample.bytes, &generator)
                inputs.append((try sample.type, sample.message, bytes))
            }
        }
        let input = inputs.map { "\($0.name) \(Self.shown($0.bytes))\n" }.joined()
        let verdicts = try ProtobufPeer.run(["judge"], input: input)
        try #require(verdicts.count == inputs.count)
        for (input, verdict) in zip(inputs, verdicts) {
            let comment = Comment("\(input.name) \(hex(input.bytes))")
            let words = verdict.split(separator: " ").map(String.init)
            do throws(Failure) {
                let message = try decoded(input.type, input.bytes)
                #expect(words[0] == "known", comment)
                #expect(fieldLines(message) == words.dropFirst(2).sorted(), comment)
            } catch {
                // Lists have limits. Groups, known fields of another type, and too large numbers are malformed here,
                // and not skipped or cut.
                let isStricter = error.code == .limitExceeded || Self.hasLargeNumber(input.bytes)
                #expect(isStricter || words[0] != "known", comment)
            }
        }
    }

    /// Whether some bytes may be a value of more than 64 bits, or a key of more than 32.
    private static func hasLargeNumber(_ bytes: [UInt8]) -> Bool {
        [(length: 10, least: 2), (length: 5, least: 0x10)].contains { (length: Int, least: UInt8) in
            bytes.indices.dropFirst(length - 1).contains { last in
                least...0x7F ~= bytes[last] && bytes[last - length + 1..<last].allSatisfy { $0 >= 0x80 }
            }
        }
    }

    /// Changes, removes, inserts or repeats some bytes of a message.
    private static func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...4, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: generator.bytes(upTo: 12), at: place)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.removeLast(bytes.count - place)
            default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
            }
        }
        return bytes
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "-" : hex(bytes)
    }
}
