import BrokerLoop
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Descriptors that the system refuses to pass, and those that differ from their announcement.
@Suite(.pure) struct RefusedDescriptorTests {
    /// Whether the system can refuse descriptors. The only refusal that also applies to the superuser is that of a
    /// receiver that accepts no descriptors.
    private static let canRefuse: Bool = {
        guard let ends = try? Socket.pair() else { return false }
        return Socket.setPassesDescriptors(ends.second.raw, false)
    }()

    private let broker: SteppedBroker
    private let source: SteppedPeer
    private let reader: SteppedPeer

    init() throws {
        broker = try SteppedBroker()
        source = try broker.connect(descriptors: true)
        reader = try broker.connect(descriptors: true)
    }

    private static func load(_ board: String) -> Load {
        var load = Load(board)
        load.descriptorWelcome = true
        return load
    }

    private static func memory(_ count: Int) throws -> MemoryFile {
        let file = try MemoryFile()
        try file.append([UInt8](repeating: 7, count: count).span)
        return file
    }

    /// The last frame to the source after the broker has read everything that the source sent.
    private func hearAfterSending() throws -> ScriptedPeer.Frame? {
        repeat { try broker.step(sending: source) } while source.unsent > 0
        try broker.step(3)
        return try source.hear().last
    }

    @Test(
        "If the system does not pass the file of kept bytes, they are sent inline, and the connection continues",
        .enabled(if: canRefuse)
    )
    func keptBytes() throws {
        let file = try Self.memory(200_000)
        try file.seal()
        source.queueWrite([UInt8](repeating: 7, count: 200_000), to: "kept", as: file)
        #expect(try hearAfterSending()?.kind == .committed)
        try broker.publish(on: "promised", by: reader)

        #expect(try broker.answer(Self.load("kept"), to: reader).map(\.header.descriptorCount) == [1])
        try #require(reader.refuseDescriptors())
        let frames = try broker.answer(Self.load("kept"), to: reader)
        #expect(frames.first?.kind == .answer && frames.allSatisfy { $0.header.descriptorCount == 0 })
        #expect(frames.filter { $0.kind == .data }.reduce(0) { $0 + $1.payload.count } == 200_000)
        // Neither the connection nor its publication has ended.
        #expect(try broker.provision(on: "promised", for: source) == .promised)
        #expect(try broker.provision(on: "promised", for: reader) == .promised)
    }

    @Test("If the system does not pass a source's file, only its load fails", .enabled(if: canRefuse))
    func sourceFile() throws {
        try broker.publish(on: "file", by: source)
        try broker.publish(on: "promised", by: reader)
        try #require(reader.refuseDescriptors())
        let stream = reader.newStream()
        reader.queue(Self.load("file"), stream: stream)
        try broker.step(sending: reader)
        let ask = try #require(try source.hear().first { $0.kind == .ask })
        #expect(try ask.decoded(as: Ask.self).descriptorWelcome == true)
        var answer = Answer()
        answer.byteCount = 1
        source.queue(answer, stream: ask.stream, passing: DescriptorBox(try System.open("/etc/passwd")))
        try broker.step(sending: source)
        try broker.step()
        let frames = try reader.hear()
        #expect(frames.map(\.kind) == [.error] && frames.first?.stream == stream)
        #expect(try frames.first?.decoded(as: Failure.self).code == .limitExceeded)
        #expect(try broker.provision(on: "promised", for: reader) == .promised)
    }

    @Test("Sealed memory with pages far after its end is not kept, because the pages would be charged to no process")
    func pagesAfterTheEnd() throws {
        for (extra, isKept) in [(0, true), (16 << 20, false)] {
            let file = try Self.memory(1)
            if extra > 0 { #expect(allocate(file.descriptor.raw, keepSize, 0, extra) == 0) }
            try file.seal()
            source.queueWrite([7], to: "kept", as: file)
            let last = try #require(try hearAfterSending())
            #expect(last.kind == (isKept ? .committed : .error))
            guard !isKept else { continue }
            let failure = try last.decoded(as: Failure.self)
            #expect(failure.code == .invalidArgument && failure.text.contains("occupies more"), "\(failure.text)")
        }
    }

    @Test("A peer that passes more descriptors than its frames can announce is disconnected at once", .tags(.f54))
    func tooMany() throws {
        try broker.publish(on: "file", by: source)
        _ = try broker.answer(List("file"), to: source)
        let file = DescriptorBox(try System.open("/etc/passwd"))
        source.queue(Answer(), stream: 2, passing: file, count: 253)
        try broker.step(sending: source)
        #expect(try source.hear().last?.decoded(as: Failure.self).code == .protocolViolation)
        #expect(source.isEnded)
        #expect(try broker.provision(on: "file", for: reader) == .gone)
    }
}

private let keepSize: CInt = 1

// Swift's Glibc module does not contain it.
@_silgen_name("fallocate") private func allocate(_: CInt, _: CInt, _: Int, _: Int) -> CInt
