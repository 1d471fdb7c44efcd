import PasteboardWire
import Testing

@Suite("Protocol.md")
struct ProtocolTextTests {
    private let text: ProtocolText

    init() throws {
        text = try ProtocolText()
    }

    @Test("The kinds of frames are those of the code, with their numbers and messages")
    func kinds() {
        let rows = text.rows(of: "Kinds of frames")
        #expect(rows.map(\.number) == FrameKind.allCases.map { UInt32($0.rawValue) })
        #expect(rows.map(\.name) == FrameKind.allCases.map { "\($0)" })
        let messages = MessageTypes.frames.map { (UInt32($0.kind.rawValue), "`\($0)`") }
        let named = Dictionary(uniqueKeysWithValues: messages + [(48, "bytes")])
        for row in rows {
            #expect(row.rest[1] == named[row.number], "\(row.name)")
        }
    }

    @Test("The flags are those of the code")
    func flags() {
        let rows = text.rows(of: "Frames").filter { $0.name == "last" || $0.name == "mustUnderstand" }
        #expect(rows.map { UInt8($0.number) } == [FrameFlags.last.rawValue, FrameFlags.mustUnderstand.rawValue])
    }

    @Test("The features are those of the code")
    func features() {
        let rows = text.rows(of: "The connection")
        #expect(rows.map(\.number) == Feature.allCases.map(\.rawValue))
        #expect(rows.map(\.name) == Feature.allCases.map { "\($0)" })
    }

    @Test("The error codes are those of the code, and each has an exit status")
    func errors() {
        let rows = text.rows(of: "Errors")
        #expect(rows.map(\.number) == Array(1...UInt32(ErrorCode.names.count)))
        #expect(rows.map(\.name) == ErrorCode.names)
        for row in rows {
            #expect(UInt8(row.rest[0]).map { (1...9).contains($0) } == true, "\(row.name)")
        }
    }

    @Test("The limits are those of the code")
    func limits() {
        let expected = [
            "payload of a control frame": WireLimits.controlLength,
            "payload of a data frame": WireLimits.dataLength,
            "payload of a data frame while several streams are open": WireLimits.sharedDataLength,
            "payload before hello": WireLimits.helloLength,
            "bytes of a type identifier": WireLimits.typeIdentifier,
            "bytes of a name or label": WireLimits.name,
            "bytes of an error's text": WireLimits.errorText,
            "bytes of an error's detail": WireLimits.errorDetail,
            "payload of an item within a write": WireLimits.itemLength,
            "items of a publication": WireLimits.items,
            "representations of an item": WireLimits.representations,
            "supertypes of a type": WireLimits.supertypes,
            "entries of an accept list": WireLimits.accepts,
            "features in a list": WireLimits.features,
            "bytes of team data": WireLimits.teamData,
            "bytes of a title": WireLimits.title,
            "groups of a client": WireLimits.groups,
            "bytes of a path": WireLimits.path,
            "numbers in an index path": WireLimits.indexPath,
        ]
        #expect(text.values(of: "Limits") == expected)
    }

    @Test("The frames of a source are those that the code encodes")
    func source() throws {
        try compare("S", ShownFrames.source)
    }

    @Test("The frames of a destination are those that the code encodes")
    func destination() throws {
        try compare("D", ShownFrames.destination)
    }

    @Test("The frames decode one after the other to messages that encode to the same bytes")
    func decoding() throws {
        for letter in ["S", "D"] {
            let shown = text.frames.filter { $0.name.hasPrefix(letter) }
            var collector = FrameCollector()
            try collector.push(shown.flatMap(\.bytes))
            #expect(collector.pending.isEmpty)
            #expect(collector.frames.map { $0.header.kind.map { "\($0)" } } == shown.map(\.kind))
            for frame in collector.frames {
                guard let type = MessageTypes.frames.first(where: { $0.kind == frame.header.kind }) else { continue }
                #expect(encoded(try decoded(type, frame.payload)) == frame.payload)
            }
        }
    }

    private func compare(_ letter: String, _ frames: [ShownFrames.Frame]) throws {
        let shown = text.frames.filter { $0.name.hasPrefix(letter) }
        #expect(shown.map(\.name) == (1...frames.count).map { "\(letter)\($0)" })
        for (shown, frame) in zip(shown, frames) {
            #expect(hex(shown.bytes) == hex(frame.bytes), "\(shown.name)")
            #expect(shown.isFromBroker == frame.isFromBroker, "\(shown.name)")
        }
    }
}
