import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Bytes in a descriptor: the conditions for passing it on, keeping it and refusing it.
@Suite(.pure) struct PassedDescriptorTests {
    private static let file = ReceivedDescriptor.readOnlyFile

    /// A source with an ask, and the load of the destination.
    private struct Scene {
        var broker: StateHarness
        let source: PeerID
        let reader: PeerID
        let load: UInt64
        let ask: UInt64
        let isWelcome: Bool?

        init(
            source: Bool = true,
            reader: Bool = true,
            welcome: Bool? = true,
            maximum: UInt64? = nil,
            limit: UInt64 = 256
        ) throws {
            broker = StateHarness { $0.passedDescriptors = limit }
            self.source = broker.connect("s", descriptors: source)
            self.reader = broker.connect("r", descriptors: reader)
            broker.promise("a", from: self.source)
            load = broker.load(from: self.reader) {
                $0.descriptorWelcome = welcome
                $0.maximumByteCount = maximum
            }
            let frame = try #require(broker.take(self.source).first { $0.kind == .ask })
            ask = frame.stream
            isWelcome = frame.decode(Ask.self).descriptorWelcome
        }

        mutating func pass(_ descriptor: ReceivedDescriptor?, _ answer: Answer = Answer(byteCount: 9)) {
            let payload = answer.encoded
            broker.pass(descriptor, kind: .answer, payload: payload, on: ask, from: source)
        }

        /// Whether nothing but the publication is left.
        var isClean: Bool {
            let held = broker.held
            return held.loads == 0 && broker.brokenInvariants().isEmpty
        }
    }

    @Test("A descriptor is welcome to a source only if both sides can pass descriptors and the load accepts one")
    func welcome() throws {
        for source in [true, false] {
            for reader in [true, false] {
                for welcome in [true, false, nil] {
                    let scene = try Scene(source: source, reader: reader, welcome: welcome)
                    #expect(scene.isWelcome == (source && reader && welcome == true ? true : nil))
                    #expect(
                        scene.broker.passing == Set((source ? [scene.source] : []) + (reader ? [scene.reader] : []))
                    )
                }
            }
        }
    }

    @Test("To and from a client at which descriptors do not arrive, everything is sent inline")
    func inline() throws {
        for isSource in [true, false] {
            let broker = StateHarness()
            let source = broker.connect("s", descriptors: true)
            let reader = broker.connect("r", descriptors: true)
            broker.promise("a", from: source)
            broker.send(Inline(), on: 0, from: isSource ? source : reader)
            broker.load(from: reader) { $0.descriptorWelcome = true }
            let ask = try #require(broker.take(source).first { $0.kind == .ask })
            #expect(ask.decode(Ask.self).descriptorWelcome == nil)
            guard isSource else { continue }
            broker.pass(Self.file, kind: .answer, payload: Answer(byteCount: 9).encoded, on: ask.stream, from: source)
            #expect(!broker.isConnected(source))
        }
    }

    @Test("A probe is passed only to a client that has asked for it and for descriptors")
    func probe() {
        for features in [[.descriptors], [.probe], [.descriptors, .probe]] as [[Feature]] {
            let broker = StateHarness()
            let peer = broker.connectSilently()
            var hello = Hello()
            hello.features = features.map(\.rawValue)
            broker.send(hello, on: 0, from: peer)
            #expect(broker.probed == (features.count == 2 ? [peer] : []))
        }
    }

    @Test("A descriptor is the complete load: it is passed unchanged with one answer that describes it")
    func passedOn() throws {
        for descriptor in [Self.file, .sealedMemory(byteCount: 9), .sealedMemory(byteCount: 10)] {
            var scene = try Scene()
            scene.broker.deliversAtOnce = false
            scene.pass(descriptor)
            let frames = scene.broker.take(scene.reader)
            #expect(frames.kinds == [.answer])
            #expect(frames[0].last && frames[0].passing == .received && frames[0].stream == scene.load)
            let answer = frames[0].decode(Answer.self)
            #expect(answer.byteCount == 9 && answer.type == "a" && answer.item == 0 && answer.handle != nil)
            // The load is held until the destination's socket has taken the descriptor.
            #expect(scene.broker.held.loads == 1 && scene.broker.brokenInvariants().isEmpty)
            scene.broker.deliver(to: scene.reader)
            #expect(scene.isClean)
            // Later frames of the source are late.
            scene.broker.data([1], last: true, on: scene.ask, from: scene.source)
            scene.broker.send(End(byteCount: 0), on: scene.ask, from: scene.source)
            #expect(scene.broker.take(scene.source).isEmpty && scene.broker.take(scene.reader).isEmpty)
        }
    }

    @Test("A load whose descriptor has not been taken survives its source's death, and ends with its destination")
    func deaths() throws {
        var scene = try Scene()
        scene.broker.deliversAtOnce = false
        scene.pass(Self.file)
        scene.broker.disconnect(scene.source)
        #expect(scene.broker.take(scene.reader).kinds == [.answer])
        #expect(scene.broker.held.loads == 1)
        scene.broker.disconnect(scene.reader)
        #expect(scene.isClean)
    }

    @Test(
        "A descriptor that cannot be passed on fails the load with the source's name, and the source stays connected"
    )
    func refused() throws {
        let cases: [(ReceivedDescriptor, Answer, UInt64?, ErrorCode)] = [
            (.sealedMemory(byteCount: 8), Answer(byteCount: 9), nil, .sourceTruncated),
            (Self.file, Answer(byteCount: 9), 8, .tooLarge),
            (.sealedMemory(byteCount: 9), Answer(byteCount: 9), 8, .tooLarge),
        ]
        for (descriptor, answer, maximum, code) in cases {
            var scene = try Scene(maximum: maximum)
            scene.pass(descriptor, answer)
            #expect(scene.broker.take(scene.reader).codes == [code])
            #expect(scene.isClean && scene.broker.closed.isEmpty)
        }
        let scene = try Scene()
        scene.broker.pass(Self.file, kind: .answer, payload: [0xFF], on: scene.ask, from: scene.source)
        #expect(scene.broker.take(scene.reader).codes == [.sourceFailed])
        #expect(scene.isClean)
    }

    @Test("A descriptor that violates the protocol ends its sender, and the destination gets an error")
    func violations() throws {
        var unwelcome = try Scene(reader: false)
        unwelcome.pass(Self.file)
        #expect(unwelcome.broker.closed == [unwelcome.source])
        #expect(unwelcome.broker.take(unwelcome.reader).codes == [.sourceGone])

        var late = try Scene()
        late.broker.data([1], on: late.ask, from: late.source)
        late.pass(Self.file)
        #expect(late.broker.closed == [late.source])
        #expect(late.broker.take(late.reader).codes == [.sourceGone])

        // The frame announces a descriptor, but none arrived with it.
        var missing = try Scene()
        missing.pass(nil)
        #expect(missing.broker.closed == [missing.source])

        let foreign = try Scene()
        foreign.broker.pass(Self.file, kind: .answer, on: foreign.ask, from: foreign.reader)
        #expect(foreign.broker.closed == [foreign.reader])

        // Without the feature the frame itself is a violation.
        var silent = try Scene(source: false)
        silent.pass(Self.file)
        #expect(silent.broker.closed == [silent.source])
    }

    @Test("A descriptor for a cancelled load is ignored as late")
    func cancelled() throws {
        var scene = try Scene()
        scene.broker.send(Cancel(), on: scene.load, from: scene.reader)
        scene.pass(Self.file)
        #expect(scene.broker.closed.isEmpty && scene.broker.take(scene.reader).isEmpty)
        #expect(scene.isClean)
    }

    @Test("While too many descriptors are in transfer, further loads are asked for inline")
    func limit() throws {
        var scene = try Scene(limit: 1)
        func next(_ scene: inout Scene) -> Bool? {
            scene.broker.load(from: scene.reader) { $0.descriptorWelcome = true }
            return scene.broker.take(scene.source).first(Ask.self)?.descriptorWelcome
        }
        #expect(scene.isWelcome == true)
        #expect(next(&scene) == nil)
        scene.broker.deliversAtOnce = false
        scene.pass(Self.file)
        #expect(next(&scene) == nil)
        scene.broker.deliver(to: scene.reader)
        #expect(next(&scene) == true)
    }

    @Test("Descriptors that cannot be closed count too: with many of them, all bytes are sent inline")
    func unclosed() throws {
        var scene = try Scene(limit: 2)
        func next(_ scene: inout Scene) -> Bool? {
            scene.broker.load(from: scene.reader) { $0.descriptorWelcome = true }
            return scene.broker.take(scene.source).first(Ask.self)?.descriptorWelcome
        }
        scene.broker.unclosedDescriptors = 1
        #expect(next(&scene) == nil)
        scene.broker.unclosedDescriptors = .max
        #expect(next(&scene) == nil)
        let refused = scene.broker.connect(descriptors: true)
        #expect(!scene.broker.passing.contains(refused))
        scene.broker.unclosedDescriptors = 0
        #expect(next(&scene) == true)
        let agreed = scene.broker.connect(descriptors: true)
        #expect(scene.broker.passing.contains(agreed))
    }

    // MARK: Kept bytes

    private static let large = UInt64(65_537)

    private func keep(
        _ descriptor: ReceivedDescriptor?,
        announced: UInt64? = nil,
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

    @Test("Kept memory that is not sealed, has another size than announced, or is too large, is refused and released")
    func keptRefused() throws {
        let cases: [(ReceivedDescriptor?, UInt64?, ErrorCode)] = [
            (.readOnlyFile, nil, .invalidArgument), (.unusable("a pipe"), nil, .invalidArgument),
            (.sealedMemory(byteCount: 5), 6, .invalidArgument), (.sealedMemory(byteCount: 7), 6, .invalidArgument),
            (.sealedMemory(byteCount: 1 << 21), nil, .noSpace), (.sealedMemory(byteCount: .max), nil, .noSpace),
        ]
        for (descriptor, announced, code) in cases {
            let (broker, writer, stream) = keep(descriptor, announced: announced) { $0.keptPool = 1 << 20 }
            #expect(broker.take(writer).on(stream).codes == [code])
            broker.commit(1, on: stream, from: writer)
            #expect(broker.closed.isEmpty && broker.openMemory == 0 && broker.held.writes == 0)
            #expect(broker.brokenInvariants().isEmpty)
        }
    }

    @Test("A descriptor stands for all bytes of a kept representation, and is accepted only if bytes are expected")
    func keptMixed() throws {
        for unexpected in [ReceivedDescriptor.sealedMemory(byteCount: 5), .readOnlyFile] {
            let (broker, writer, stream) = keep(.sealedMemory(byteCount: 5))
            broker.pass(unexpected, kind: .data, on: stream, from: writer)
            #expect(broker.take(writer).on(0).codes == [.protocolViolation] && broker.closed == [writer])
            #expect(broker.openMemory == 0)
        }
        let broker = StateHarness()
        let writer = broker.connect(descriptors: true)
        let second = broker.begin(from: writer)
        broker.send(Item([Representation("a", kept: true)]), on: second, from: writer)
        broker.data([1, 2], on: second, from: writer)
        broker.pass(.sealedMemory(byteCount: 5), kind: .data, on: second, from: writer)
        #expect(broker.take(writer).codes == [.invalidArgument])
        #expect(broker.openMemory == 0)

        // The writer dies before it commits.
        let third = broker.begin(from: writer)
        broker.send(Item([Representation("a", kept: true)]), on: third, from: writer)
        broker.pass(.sealedMemory(byteCount: 5), kind: .data, on: third, from: writer)
        #expect(broker.openMemory == 1)
        broker.disconnect(writer)
        #expect(broker.openMemory == 0 && broker.brokenInvariants().isEmpty)
    }
}
