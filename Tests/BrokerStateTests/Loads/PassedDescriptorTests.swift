import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Bytes in a descriptor: the size of sealed memory, the time until a destination's socket takes a descriptor, and
/// descriptors that cannot be closed. `Descriptors.exchange` contains the other conditions.
@Suite(.pure) struct PassedDescriptorTests {
    /// A source with an ask, and the load of the destination.
    private struct Scene {
        let broker: StateHarness
        let source: PeerID
        let reader: PeerID
        let ask: UInt64

        init(maximum: UInt64? = nil, limit: UInt64 = 256) throws {
            broker = StateHarness { $0.passedDescriptors = limit }
            source = broker.connect("s", descriptors: true)
            reader = broker.connect("r", descriptors: true)
            broker.promise("a", from: source)
            broker.load(from: reader) {
                $0.descriptorWelcome = true
                $0.maximumByteCount = maximum
            }
            ask = try #require(broker.takeAsks(source).first)
        }

        func pass(_ descriptor: ReceivedDescriptor) {
            broker.pass(descriptor, kind: .answer, payload: Answer(byteCount: 9).encoded, on: ask, from: source)
        }

        /// Loads once more, and returns whether the source may answer with a descriptor.
        func isNextWelcome() -> Bool {
            broker.load(from: reader) { $0.descriptorWelcome = true }
            return broker.take(source).first(Ask.self)?.descriptorWelcome == true
        }
    }

    @Test("Sealed memory may be longer than the source says, but not shorter, and not longer than the load allows")
    func sizes() throws {
        let cases: [(size: UInt64, maximum: UInt64?, code: ErrorCode?)] = [
            (9, nil, nil), (10, nil, nil), (8, nil, .sourceTruncated), (9, 8, .tooLarge),
        ]
        for (size, maximum, code) in cases {
            let scene = try Scene(maximum: maximum)
            scene.pass(.sealedMemory(byteCount: size))
            let frames = scene.broker.take(scene.reader)
            #expect(frames.first?.code == code && (frames.first?.passing == .received) == (code == nil))
            #expect(frames.count == 1 && scene.broker.held.loads == 0 && scene.broker.closed.isEmpty)
            #expect(scene.broker.brokenInvariants().isEmpty)
        }
    }

    @Test("A load and its descriptor are in transfer until the destination's socket has taken the descriptor")
    func taken() throws {
        let scene = try Scene(limit: 1)
        scene.broker.deliversAtOnce = false
        scene.pass(.readOnlyFile)
        #expect(scene.broker.take(scene.reader).kinds == [.answer])
        #expect(scene.broker.held.loads == 1 && scene.broker.brokenInvariants().isEmpty)
        #expect(!scene.isNextWelcome())
        scene.broker.deliver(to: scene.reader)
        #expect(scene.broker.held.loads == 1)
        #expect(scene.isNextWelcome())
    }

    @Test("A load whose descriptor has not been taken survives its source's death, and ends with its destination")
    func deaths() throws {
        let scene = try Scene()
        scene.broker.deliversAtOnce = false
        scene.pass(.readOnlyFile)
        scene.broker.disconnect(scene.source)
        #expect(scene.broker.take(scene.reader).kinds == [.answer])
        #expect(scene.broker.held.loads == 1)
        scene.broker.disconnect(scene.reader)
        #expect(scene.broker.held.loads == 0 && scene.broker.brokenInvariants().isEmpty)
    }

    @Test("Descriptors that cannot be closed count too: with many of them, all bytes are sent inline")
    func unclosed() throws {
        let scene = try Scene(limit: 2)
        scene.broker.unclosedDescriptors = 1
        #expect(!scene.isNextWelcome())
        scene.broker.unclosedDescriptors = .max
        #expect(!scene.isNextWelcome())
        let refused = scene.broker.connect(descriptors: true)
        #expect(!scene.broker.passing.contains(refused))
        scene.broker.unclosedDescriptors = 0
        #expect(scene.isNextWelcome())
        let agreed = scene.broker.connect(descriptors: true)
        #expect(scene.broker.passing.contains(agreed))
    }

    @Test("The longest type, name and path fit a frame with a descriptor")
    func longest() throws {
        let broker = StateHarness()
        let source = broker.connect(descriptors: true)
        let reader = broker.connect(descriptors: true)
        let type = String(repeating: "t", count: WireLimits.typeIdentifier)
        var item = Item([Representation(type)], name: String(repeating: "n", count: WireLimits.name))
        item.representations[0].fileOptions = .openInPlace
        broker.write([item], from: source)
        broker.load(from: reader) {
            $0.descriptorWelcome = true
            $0.inPlaceWelcome = true
        }
        let ask = try #require(broker.takeAsks(source).first)
        var answer = Answer(byteCount: 9)
        answer.path = "/" + String(repeating: "p", count: WireLimits.path - 1)
        answer.content = ContentForm(rawValue: .max)
        broker.pass(.readOnlyFile, kind: .answer, payload: answer.encoded, on: ask, from: source)
        let frame = try #require(broker.take(reader).first)
        #expect(frame.decode(Answer.self).path == answer.path)
        // The encoded numbers can grow by at most this many bytes.
        #expect(frame.payload.count + 64 <= WireLimits.descriptorFrameLength)
    }

    // MARK: Kept bytes

    private static let large = UInt64(65_537)

    private func keep(
        _ descriptor: ReceivedDescriptor,
        announced: UInt64?,
        limits: (inout BrokerLimits) -> Void = { _ in }
    ) -> (broker: StateHarness, writer: PeerID, stream: UInt64) {
        let broker = StateHarness(limits)
        let writer = broker.connect(descriptors: true)
        let stream = broker.begin(from: writer)
        var representation = Representation("a", byteCount: announced, kept: true)
        representation.content = .folderArchive
        broker.send(Item([representation]), on: stream, from: writer)
        broker.pass(descriptor, kind: .data, on: stream, from: writer)
        return (broker, writer, stream)
    }

    @Test(
        "Kept bytes arrive as sealed memory; small ones are sent inline, and large ones are passed as the same memory"
    )
    func kept() throws {
        for (count, isPassed) in [(Self.large, true), (Self.large - 1, false)] {
            let (broker, writer, stream) = keep(.sealedMemory(byteCount: count), announced: count)
            broker.commit(1, on: stream, from: writer)
            #expect(broker.take(writer).kinds == [.committed])
            #expect(broker.adopted == broker.sealed && broker.adopted.count == 1)
            #expect(broker.brokenInvariants().isEmpty)
            broker.disconnect(writer)
            for _ in 0..<2 {
                let reader = broker.connect(descriptors: true)
                let load = broker.load(from: reader, credit: 0) { $0.descriptorWelcome = true }
                let frames = broker.take(reader).on(load)
                let answer = try #require(frames.first(Answer.self))
                #expect(frames.kinds == [.answer] && answer.byteCount == count && answer.content == .folderArchive)
                #expect(frames[0].passing == (isPassed ? broker.adopted.first.map { .kept($0) } : nil))
                #expect(broker.held.loads == (isPassed ? 0 : 1))
                broker.disconnect(reader)
            }
        }
    }

    @Test("Kept memory that is longer than announced or too large is refused and released")
    func keptRefused() throws {
        let cases: [(UInt64, UInt64?, ErrorCode)] = [
            (7, 6, .invalidArgument), (1 << 21, nil, .noSpace), (.max, nil, .noSpace),
        ]
        for (count, announced, code) in cases {
            let (broker, writer, stream) = keep(.sealedMemory(byteCount: count), announced: announced) {
                $0.keptPool = 1 << 20
            }
            #expect(broker.take(writer).on(stream).codes == [code])
            broker.commit(1, on: stream, from: writer)
            #expect(broker.closed.isEmpty && broker.openMemory == 0 && broker.held.writes == 0)
            #expect(broker.brokenInvariants().isEmpty)
        }
    }
}
