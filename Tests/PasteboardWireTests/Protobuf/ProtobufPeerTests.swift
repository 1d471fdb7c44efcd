import PasteboardWire
import Testing

/// The golden bytes only show what this encoder does. Another implementation of protobuf has to confirm that it is
/// correct.
@Suite("Messages and Google's protobuf", .enabled(if: ProtobufPeer.isAvailable, "\(ProtobufPeer.missing)"))
struct ProtobufPeerTests {
    @Test("Google's protobuf reads what the code encodes, and the code reads what it encodes again")
    func read() throws {
        var generator = SeededGenerator(for: "messages read by protobuf")
        var samples = try SchemaSample.all(.full) + SchemaSample.all(.zero)
        for _ in 0..<20 {
            samples += try SchemaSample.all(.random, using: &generator)
        }
        var messages: [any ProtobufMessage] = []
        var input = ""
        for sample in samples {
            let message = try decoded(sample.type, sample.bytes)
            messages.append(message)
            input += "\(sample.message) \(Self.shown(encoded(message)))\n"
        }
        let answers = try ProtobufPeer.run(["read"], input: input)
        try #require(answers.count == messages.count)
        for (message, answer) in zip(messages, answers) {
            let words = answer.split(separator: " ").map(String.init)
            let comment = Comment("\(type(of: message)), seed \(generator.seed)")
            #expect(words.dropFirst().sorted() == fieldLines(message), comment)
            let again = try Self.decodedAgain(message, bytes(hex: try #require(words.first)))
            #expect(fieldLines(again) == fieldLines(message), comment)
        }
    }

    @Test("The code reads what Google's protobuf encodes")
    func write() throws {
        let generator = SeededGenerator(for: "messages written by protobuf")
        let messages = try ProtobufPeer.run(["write", "\(generator.seed)", "20"])
        #expect(messages.count == 20 * MessageTypes.all.count)
        for line in messages {
            let words = line.split(separator: " ").map(String.init)
            let type = try #require(MessageTypes.named[words[0]])
            let message = try decoded(type, bytes(hex: words[1]))
            #expect(fieldLines(message) == words.dropFirst(2).sorted(), "\(words[0]), seed \(generator.seed)")
        }
    }

    private static func decodedAgain<Message: ProtobufMessage>(
        _ message: Message,
        _ bytes: [UInt8]
    ) throws -> any ProtobufMessage {
        try Message(decoding: bytes)
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "-" : hex(bytes)
    }
}
