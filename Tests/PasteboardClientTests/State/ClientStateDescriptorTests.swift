import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import PasteboardClient

/// Loads and asks that are answered by a descriptor.
@Suite(.pure) struct ClientStateDescriptorTests {
    private let ask: UInt64 = 1 << 32 | 6

    /// Makes a state whose broker has, or has not, granted the feature.
    private func harness(granted: Bool = true) throws -> StateHarness {
        var harness = try StateHarness(welcomed: false)
        var welcome = Welcome.standard(maximumStreams: 128)
        welcome.features = granted ? [Feature.descriptors.rawValue] : []
        _ = try harness.broker(welcome, stream: 0)
        #expect(harness.state.passesDescriptors == granted)
        _ = harness.sent()
        return harness
    }

    private func load(_ harness: inout StateHarness, welcome: Bool = true, maximum: UInt64? = nil) throws -> UInt64 {
        var load = Load()
        load.descriptorWelcome = welcome
        load.maximumByteCount = maximum
        defer { _ = harness.sent() }
        return try harness.state.open(load)
    }

    /// Delivers an answer with a descriptor, or with the reason why there is none.
    private func pass(
        _ harness: inout StateHarness,
        on stream: UInt64,
        byteCount: UInt64? = 5,
        _ descriptor: Result<DescriptorBox, MissingDescriptor>? = nil
    ) throws -> ClientEvent? {
        var answer = Answer()
        answer.byteCount = byteCount
        return try harness.broker(answer, stream: stream, passing: descriptor ?? .success(MemoryFile().descriptor))
    }

    @Test(
        "A client whose probe has not arrived says so before anything else, and passes no descriptors",
        arguments: [
            (.success(()), true), (.failure(.dropped), true), (.failure(.notSent), false), (nil, true),
        ] as [(Result<Void, MissingDescriptor>?, Bool)]
    )
    func probe(arrived: Result<Void, MissingDescriptor>?, passes: Bool) throws {
        var harness = try StateHarness(welcomed: false)
        _ = harness.sent()
        var welcome = Welcome.standard(maximumStreams: 128)
        welcome.features = [Feature.descriptors.rawValue, Feature.probe.rawValue]
        let file = try MemoryFile().descriptor
        _ = try harness.broker(welcome, stream: 0, passing: arrived?.map { file })
        #expect(harness.state.passesDescriptors == passes)
        #expect(harness.sent().map(\.kind) == (passes ? [] : [.inline]))
    }

    @Test("An answer with a descriptor is the whole load")
    func passed() throws {
        var harness = try self.harness()
        let stream = try load(&harness)
        let file = try MemoryFile()
        guard
            case .passed(stream, let answer, let box)? = try pass(&harness, on: stream, .success(file.descriptor))
        else {
            Issue.record("the load has not ended")
            return
        }
        #expect(answer.byteCount == 5 && box === file.descriptor)
        #expect(!harness.state.isAwaiting)
        // Later frames are ignored, and so is an answer to a load that was cancelled.
        #expect(try harness.data(5, stream: stream) == nil)
        let cancelled = try load(&harness)
        harness.state.cancel(cancelled)
        #expect(try pass(&harness, on: cancelled) == nil)
    }

    @Test("A descriptor for which this process has no room fails only its load")
    func dropped() throws {
        var harness = try self.harness()
        let stream = try load(&harness)
        guard case .failed(stream, let failure)? = try pass(&harness, on: stream, .failure(.dropped)) else {
            Issue.record("the load has not failed")
            return
        }
        #expect(failure.code == .limitExceeded && failure.text.contains("too many open files"))
        #expect(try pass(&harness, on: try load(&harness)) != nil)
    }

    @Test("An unwelcome, unsized, oversized or missing descriptor ends the connection")
    func violations() throws {
        let cases: [(inout StateHarness) throws -> ClientEvent?] = [
            { try pass(&$0, on: load(&$0, welcome: false)) },
            { try pass(&$0, on: load(&$0), byteCount: nil) },
            { try pass(&$0, on: load(&$0, maximum: 4)) },
            { try pass(&$0, on: load(&$0), .failure(.notSent)) },
            { try pass(&$0, on: 99) },
            { harness in
                let stream = try load(&harness)
                _ = try harness.broker(Answer(), stream: stream)
                return try pass(&harness, on: stream)
            },
        ]
        for body in cases {
            var harness = try self.harness()
            let failure = #expect(throws: Failure.self) { try body(&harness) }
            #expect(failure?.code == .protocolViolation)
        }
        var plain = try self.harness(granted: false)
        #expect(throws: Failure.self) { try pass(&plain, on: try load(&plain)) }
    }

    @Test("An ask is answered by a descriptor only if it accepts one, and before any byte")
    func answered() throws {
        for (granted, welcome, sent) in [
            (true, true, 0), (true, true, 3), (true, false, 0), (true, nil, 0), (false, true, 0),
        ] as [(Bool, Bool?, Int)] {
            var harness = try self.harness(granted: granted)
            var ask = Ask()
            ask.credit = 10
            ask.descriptorWelcome = welcome
            _ = try harness.broker(ask, stream: self.ask)
            if sent > 0 { _ = harness.state.dataHeader(on: self.ask, count: sent, last: false) }
            let isAnswered = harness.state.pass(self.ask, byteCount: 7)
            guard granted, welcome == true, sent == 0 else {
                #expect(!isAnswered && harness.state.sendable(self.ask) == 10 - sent)
                continue
            }
            #expect(isAnswered)
            let frames = harness.sent()
            #expect(frames.count == 1 && frames[0].header.descriptorCount == 1 && frames[0].header.flags == .last)
            #expect(try Answer(decoding: frames[0].payload).byteCount == 7)
            let isSecond = harness.state.pass(self.ask, byteCount: 7)
            #expect(!isSecond && harness.state.sendable(self.ask) == nil)
        }
    }

    @Test("The path of a passed file is sent only if the ask accepts it, and if it is not too long")
    func path() throws {
        let longest = String(repeating: "/", count: WireLimits.path)
        for (welcome, path, told) in [
            (true, "/a/b", "/a/b"), (false, "/a/b", nil), (nil, "/a/b", nil), (true, longest, longest),
            (true, longest + "a", nil), (true, nil, nil),
        ] as [(Bool?, String?, String?)] {
            var harness = try self.harness()
            var ask = Ask()
            ask.descriptorWelcome = true
            ask.inPlaceWelcome = welcome
            _ = try harness.broker(ask, stream: self.ask)
            let isAnswered = harness.state.pass(self.ask, byteCount: 7, path: path)
            #expect(isAnswered)
            #expect(try Answer(decoding: harness.sent()[0].payload).path == told)
        }
    }

    @Test("Kept bytes are sent as a descriptor only on an open write")
    func kept() throws {
        var harness = try self.harness()
        let stream = try harness.state.open(Write())
        _ = harness.sent()
        let isKept = harness.state.passKept(stream)
        #expect(isKept)
        let header = harness.sent().first?.header
        #expect(header?.kind == .data && header?.descriptorCount == 1 && header?.flags == .last && header?.length == 0)
        harness.state.commit(stream, itemCount: 1)
        let isCommitted = harness.state.passKept(stream)
        #expect(!isCommitted)
        var plain = try self.harness(granted: false)
        let other = try plain.state.open(Write())
        let isPassed = plain.state.passKept(other)
        #expect(!isPassed)
    }
}
