import PasteboardWire
import TestSupport
import Testing

@Suite("Values of the protocol", .pure)
struct ValueTests {
    @Test("Every error code has a name, and an unknown one is shown as a number")
    func errorCodes() {
        let codes: [ErrorCode] = [
            .nothingHere, .typeUnavailable, .superseded, .sourceGone, .sourceFailed, .sourceStalled, .sourceTruncated,
            .destinationGone, .destinationStalled, .cancelled, .timeout, .tooLarge, .limitExceeded, .noSpace,
            .notPermitted, .notLoadableNow, .concealed, .refused, .invalidArgument, .protocolViolation,
            .versionMismatch, .brokerUnavailable, .brokerRestarted, .linkDown, .brokerStopped,
        ]
        #expect(codes.map(\.rawValue) == Array(1...25))
        #expect(codes.map(\.description) == ErrorCode.names)
        #expect(ErrorCode.typeUnavailable.description == "type-unavailable")
        #expect(ErrorCode.linkDown.description == "link-down")
        for number in [0, 26, UInt32.max] {
            #expect(ErrorCode(rawValue: number).description == "error-\(number)")
        }
    }

    @Test("A failure is described by its code and its text")
    func failureDescription() {
        #expect(Failure(.nothingHere, "the board is empty").description == "nothing-here: the board is empty")
    }

    @Test("No text of a printable failure changes a terminal, and the lines of its detail remain")
    func printableFailure() {
        let own = SourceFailure(domain: "a\u{1B}]0;x\u{7}", code: -7, message: "b\u{9B}31m\nc")
        let failure = Failure(.sourceFailed, "\u{202E}d\re", detail: "f\u{8}\n\u{1B}[2Jg", source: own)
        let clean = failure.printable
        #expect(clean.code == .sourceFailed && clean.text == "de" && clean.detail == "f\n[2Jg")
        #expect(clean.source == SourceFailure(domain: "a]0;x", code: -7, message: "b31mc"))
        let plain = Failure(.refused, "été 😀 نص", detail: "one\ntwo")
        #expect(plain.printable == plain)
    }

    @Test("Controls, separators of lines and controls of the text's direction are harmful, and nothing else")
    func harmfulScalars() {
        let found = (0...0xFFFF).compactMap { Unicode.Scalar($0 as UInt32) }.filter(\.isHarmful).map(\.value)
        let harmful: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F,
        ]
        #expect(found == harmful.flatMap(Array.init))
    }

    @Test(
        "Names of boards are printable, short, and usable as file names",
        arguments: [
            ("general", true), ("a", true), ("with blank", true), ("été 😀", true), (".hidden", true), ("...", true),
            ("", false), (".", false), ("..", false), ("a/b", false), ("/", false), ("a\nb", false), ("a\0", false),
            ("\u{7F}", false), ("\u{9B}31m", false),
        ]
    )
    func boardNames(name: String, isValid: Bool) {
        #expect(((try? BoardName.check(name)) != nil) == isValid)
    }

    @Test("A board's name has at most 255 bytes, not characters")
    func longBoardNames() throws {
        try BoardName.check(String(repeating: "a", count: 255))
        try BoardName.check(String(repeating: "é", count: 127))
        for name in [String(repeating: "a", count: 256), String(repeating: "é", count: 128)] {
            let failure = #expect(throws: Failure.self) { try BoardName.check(name) }
            #expect(failure?.code == .invalidArgument)
        }
    }

    @Test("An unknown required feature is a version mismatch", .tags(.f89))
    func features() throws {
        try Feature.check([])
        try Feature.check([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1])
        for requires in [[0], [15], [1, 99], [UInt32.max]] as [[UInt32]] {
            let failure = #expect(throws: Failure.self) { try Feature.check(requires) }
            #expect(failure?.code == .versionMismatch)
        }
    }

    @Test(
        "A text is cut before the first scalar that does not fit",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("abc", 0, ""), ("é", 1, ""), ("aé", 2, "a"),
            ("aé", 3, "aé"), ("a€b", 3, "a"), ("a€b", 4, "a€"), ("😀", 3, ""), ("😀😀", 7, "😀"),
            ("e\u{301}x", 2, "e"), ("e\u{301}x", 3, "e\u{301}"),
        ]
    )
    func prefix(text: String, limit: Int, expected: String) {
        #expect(Array(text.prefix(utf8Count: limit).utf8) == Array(expected.utf8))
    }

    @Test("The texts of a failure are cut to their limits when sent and received")
    func failureLimits() throws {
        let long = String(repeating: "€", count: 3000)
        let failure = Failure(
            .sourceFailed,
            long,
            detail: long,
            source: SourceFailure(domain: long, code: -5, message: long)
        )
        let sent = try Failure(decoding: failure.encoded)
        #expect(sent.text.utf8.count == 1023)
        #expect(sent.detail?.utf8.count == 4095)
        #expect(sent.source?.domain.utf8.count == 1023)
        #expect(sent.source?.message.utf8.count == 1023)
        #expect(sent.source?.code == -5)

        // The encoding of a peer that does not cut them.
        func field(_ number: UInt8) -> [UInt8] {
            [number << 3 | 2] + varint(UInt64(long.utf8.count)) + long.utf8
        }
        let inner = field(1) + field(3)
        let received = try Failure(decoding: field(2) + field(3) + [0x22] + varint(UInt64(inner.count)) + inner)
        #expect(received.text == sent.text)
        #expect(received.detail == sent.detail)
        #expect(received.source?.domain == sent.source?.domain)
        #expect(received.source?.message == sent.source?.message)
    }

    @Test("The fields of a failure are read in any order, and among unknown ones")
    func failureOrder() throws {
        let failure = Failure(.timeout, "t", detail: "d", source: SourceFailure(domain: "s", code: 1, message: "m"))
        let fields: [[UInt8]] = [
            [0x08, UInt8(failure.code.rawValue)], [0x12, 1, 0x74], [0x1A, 1, 0x64],
            [0x22, 8, 0x0A, 1, 0x73, 0x10, 1, 0x1A, 1, 0x6D],
        ]
        #expect(failure.encoded == fields.flatMap(\.self))
        let unknown: [UInt8] = [9 << 3, 0]
        #expect(try Failure(decoding: fields.reversed().flatMap { unknown + $0 } + unknown) == failure)
    }

    @Test("A stream's number identifies the side that opened it, and the record")
    func streams() {
        #expect(StreamID(7).isOpenedByClient && !StreamID(7).isOpenedByBroker && !StreamID(7).isDestinationSession)
        for (slot, generation) in [(0, 1), (5, 9), (0x3FFF_FFFF, .max)] as [(UInt32, UInt32)] {
            let ask = StreamID(askSlot: slot, generation: generation)
            let session = StreamID(destinationSessionSlot: slot, generation: generation)
            #expect(ask.isOpenedByBroker && !ask.isDestinationSession && session.isDestinationSession)
            #expect(ask.askSlot == slot && session.destinationSessionSlot == slot)
            #expect(ask.generation == generation && session.generation == generation)
            #expect(session.askSlot != slot, "a frame on a destination session must not reach a load")
        }
    }
}
