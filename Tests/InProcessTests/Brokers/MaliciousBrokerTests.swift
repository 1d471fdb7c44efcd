import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Brokers that send anything. Every call ends with an error that names the reason, and none takes more memory than the
/// program allowed.
@Suite(.inProcess)
struct MaliciousBrokerTests {
    private func pasteboard(
        welcome: Welcome = .standard(),
        _ answer: @escaping ScriptedBroker.Answer
    ) -> Pasteboard {
        Pasteboard(name: .general, connection: ScriptedBroker(welcome: welcome, answer).connect())
    }

    /// A broker with one text, whose loads are answered by `load`.
    private func item(
        byteCount: UInt64? = nil,
        welcome: Welcome = .standard(),
        load: @escaping ScriptedBroker.Answer
    ) async throws -> ItemProvider {
        let board = pasteboard(welcome: welcome) { peer, frame in
            switch frame.kind {
            case .list:
                var contents = Contents()
                (contents.handle, contents.changeCount, contents.epoch) = (.max, .max, .max)
                contents.itemCount = .max
                try peer.send(contents, stream: frame.stream)
                var representation = Representation()
                representation.type = "public.utf8-plain-text"
                representation.byteCount = byteCount
                var item = Item()
                item.representations = [representation]
                (item.presentationWidth, item.presentationHeight) = (.max, .max)
                try peer.send(item, stream: frame.stream)
                try peer.send(End(), stream: frame.stream)
            case .load: try load(peer, frame)
            default: break
            }
        }
        return try #require(try await board.contents().items.first).itemProvider
    }

    private static func answer(_ byteCount: UInt64?) -> Answer {
        var answer = Answer()
        answer.type = "public.utf8-plain-text"
        answer.byteCount = byteCount
        return answer
    }

    @Test("Announced sizes reserve nothing, and fewer bytes are an error", arguments: [1 << 63, .max, 1 << 40])
    func hugeSizes(byteCount: UInt64) async throws {
        let provider = try await item(byteCount: byteCount) { peer, frame in
            try peer.send(Self.answer(byteCount), stream: frame.stream)
            try peer.sendData([1, 2, 3], stream: frame.stream, last: true)
        }
        for form in LoadedForm.allCases {
            // No such size is accepted for a load into memory, unless the caller allows it.
            let expected = form == .data || form == .object ? PasteboardError.Code.tooLarge : .sourceTruncated
            let error = await #expect(throws: PasteboardError.self) {
                try await form.bytes(from: provider, progress: LoadProgress())
            }
            #expect(error?.code == expected, "\(form)")
        }
        let error = await #expect(throws: PasteboardError.self) {
            try await provider.loadData(for: .text, options: LoadOptions(maximumByteCount: .max))
        }
        #expect(error?.code == (byteCount > UInt64(Int.max) ? .tooLarge : .sourceTruncated))
    }

    @Test("A load that never ends ends at its timeout, even while bytes arrive", arguments: LoadedForm.allCases)
    func endlessBytes(form: LoadedForm) async throws {
        let provider = try await item { peer, frame in
            try peer.send(Self.answer(nil), stream: frame.stream)
            while true { try peer.sendData([7], stream: frame.stream) }
        }
        let options = LoadOptions(timeout: .milliseconds(200))
        await expectError(.timeout) { try await form.bytes(from: provider, options: options) }
    }

    @Test("The limits of a welcome may have any value", arguments: [0, .max] as [UInt64])
    func absurdWelcome(number: UInt64) async throws {
        var welcome = Welcome.standard()
        welcome.maximumStreams = UInt32(clamping: number)
        (welcome.keptPool, welcome.keptFree) = (number, number)
        (welcome.firstByteMilliseconds, welcome.progressMilliseconds) = (number, number)
        welcome.process = UInt32(clamping: number)
        welcome.epoch = number
        welcome.features = (0...63).map { $0 == 63 ? .max : $0 }
        welcome.programVersion = "\u{1B}[2J"
        let provider = try await item(welcome: welcome) { peer, frame in
            try peer.send(Self.answer(5), stream: frame.stream)
            try peer.sendData(Array("bytes".utf8), stream: frame.stream, last: true)
        }
        for _ in 0..<3 {
            #expect(try await provider.loadData(for: .text) == Data("bytes".utf8))
            #expect(
                try await provider.loadData(for: .text, options: LoadOptions(timeout: .seconds(600)))
                    == Data("bytes".utf8)
            )
        }
        let board = pasteboard(welcome: welcome) { peer, frame in
            guard frame.kind == .commit else { return }
            var committed = Committed()
            committed.changeCount = .max
            try peer.send(committed, stream: frame.stream)
        }
        let kept = ItemProvider()
        kept.registerDataRepresentation(for: .utf8PlainText) { Data("kept".utf8) }
        _ = try? await board.write([kept])
    }

    @Test("A destination gets no more sessions and asks than it can have, and ends with an error")
    func endlessSessions() async throws {
        let connection = ScriptedBroker { peer, frame in
            guard frame.kind == .destination else { return }
            try peer.send(Registered(), stream: frame.stream)
            for stream in stride(from: UInt64(2), to: .max, by: 2) {
                var session = Session()
                (session.destination, session.handle) = (frame.stream, stream)
                try peer.send(session, stream: stream)
            }
        }.connect()
        await expectError(.protocolViolation) {
            try await DropDestination(name: "desk", connection: connection).run { _, _ in }
        }
    }
}
