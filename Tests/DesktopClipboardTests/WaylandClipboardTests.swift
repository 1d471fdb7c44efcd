import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import DesktopClipboard

/// The client of data control, with a compositor that does what a test wants.
@Suite(.inProcess) struct WaylandClipboardTests {
    private static let first: UInt32 = 0xFF00_0000

    /// Runs a clipboard until it fails, and returns the failure.
    private static func failure(
        _ globals: [(String, UInt32)] = [("wl_seat", 7), ("ext_data_control_manager_v1", 1)],
        _ body: @escaping @Sendable (FakeCompositor, _ device: UInt32) async throws -> Void
    ) async throws -> Failure? {
        try await FakeCompositor.with(globals) { compositor, clipboard in
            async let end = Result<Void, any Error>.of { try await clipboard.run() }
            let device = try await compositor.device()
            try? await body(compositor, device)
            guard case .failure(let error) = await end else { return nil }
            return error as? Failure
        }
    }

    @Test(
        "A compositor that lets nobody watch the clipboard is named as the reason",
        arguments: [[("wl_seat", UInt32(1))], [("ext_data_control_manager_v1", 1)], []]
    )
    func noDataControl(globals: [(String, UInt32)]) async throws {
        let failure = await #expect(throws: Failure.self) {
            try await FakeCompositor.with(globals) { _, _ in }
        }
        #expect(failure?.code == .linkDown)
    }

    @Test("A compositor that does not answer is one that cannot be reached")
    func silence() async throws {
        let loop = try Loop()
        try loop.start(named: "test-loop", stackSize: 1 << 20)
        defer { loop.end() }
        let (near, far) = try Socket.pair().shared()
        defer { withExtendedLifetime(far) {} }
        let failure = await #expect(throws: Failure.self) {
            let deadline = MonotonicClock.deadline(milliseconds: 1)
            _ = try await WaylandClipboard(over: System.duplicate(near.raw), until: deadline, on: loop)
        }
        #expect(failure == Failure(.linkDown, "the compositor does not answer"))
    }

    @Test("The names and bytes of a program arrive, of both protocols", arguments: ["ext", "zwlr"])
    func incoming(protocolName: String) async throws {
        let globals = [("wl_seat", UInt32(7)), ("\(protocolName)_data_control_manager_v1", 2)]
        try await FakeCompositor.with(globals) { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            try await compositor.offer(["text/plain", "a/b"], as: Self.first, on: device)
            guard case .changed(.clipboard, let contents) = await clipboard.events.next() else {
                Issue.record("there is no event")
                return
            }
            #expect(contents.names == ["text/plain", "a/b"])
            async let bytes = contents.bytes("a/b")
            var receive = try await compositor.next(to: Self.first, 0)
            #expect(try receive.string() == "a/b")
            try {
                let pipe = try #require(compositor.takeDescriptor())
                try System.write([1, 2, 3].span, to: pipe.raw)
            }()
            #expect(try await bytes == [1, 2, 3])
            // The pipe of an offer that has ended is closed; that is no empty text.
            async let lost = Result.of { try await contents.bytes("a/b") }
            _ = try await compositor.next(to: Self.first, 0)
            _ = compositor.takeDescriptor()
            try await compositor.send(device, 1) { $0.append(UInt32(0)) }
            var sync = try await compositor.next(to: 1, 0)
            let callback = try sync.uint32()
            try await compositor.send(callback, 0) { $0.append(UInt32(0)) }
            let result = await lost
            #expect(throws: Failure.self) { try result.get() }
            guard case .emptied(.clipboard, nil) = await clipboard.events.next() else {
                Issue.record("the end of the contents was not reported")
                return
            }
            try await compositor.send(1, 0) {
                $0.append(UInt64(0))
                $0.append(string: "over")
            }
            _ = await end
        }
    }

    /// Shows contents whose bytes are their name, and returns the source.
    private static func show(
        _ names: [String],
        _ clipboard: WaylandClipboard,
        _ compositor: FakeCompositor,
        _ device: UInt32
    ) async throws -> UInt32 {
        async let shown = clipboard.show(
            DesktopContents(names) { name, _, sink in try await sink(Array(name.utf8)) },
            on: .primary,
            after: nil
        )
        var selection = try await compositor.next(to: device, 2)
        try await compositor.answerSync()
        #expect(try await shown)
        return try selection.uint32()
    }

    @Test("A program gets the bytes of a name, and nothing for a name that was not offered")
    func outgoing() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            let source = try await Self.show(["a/b"], clipboard, compositor, device)
            for (name, expected) in [("a/b", "a/b"), ("c/d", "")] {
                #expect(try await compositor.bytes(name, of: source) == Array(expected.utf8))
            }
            try await compositor.send(source, 1)
            _ = try await compositor.next(to: source, 1)
            try await compositor.send(device, 2)
            _ = await end
        }
    }

    @Test("Each pipe gets its own bytes, of many in one message, and after one for a source that has ended")
    func pipes() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            let names = (0..<28).map { "a/\($0)" }
            let first = try await Self.show(names, clipboard, compositor, device)
            for (name, bytes) in zip(names, try await compositor.bytes(names, of: first)) {
                #expect(bytes == Array(name.utf8))
            }
            let second = try await Self.show(["b/c"], clipboard, compositor, device)
            // The request has crossed the end of the source.
            try await compositor.send(first, 1)
            #expect(try await compositor.bytes("a/1", of: first).isEmpty)
            #expect(try await compositor.bytes("b/c", of: second) == Array("b/c".utf8))
            try await compositor.send(device, 2)
            _ = await end
        }
    }

    @Test("Events before the bridge's own change are old, and a change just after it is reported")
    func changes() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            async let shown = clipboard.show(DesktopContents(["a/b"]) { _, _, _ in }, on: .clipboard, after: nil)
            var selection = try await compositor.next(to: device, 0)
            let source = try selection.uint32()
            var sync = try await compositor.next(to: 1, 0)
            let callback = try sync.uint32()
            // Another program's, from before.
            try await compositor.offer(["old"], as: Self.first, on: device)
            try await compositor.send(
                WaylandMessage.request(callback, 0) { $0.append(UInt32(0)) } + WaylandMessage.request(source, 1)
                    + WaylandMessage.request(device, 1) { $0.append(UInt32(0)) }
            )
            #expect(try await shown)
            guard case .emptied(.clipboard, _) = await clipboard.events.next() else {
                Issue.record("the change is not reported")
                return
            }
            #expect(clipboard.serial(of: .clipboard) == nil)
            try await compositor.send(device, 2)
            _ = await end
        }
    }

    @Test("The end of what the bridge shows does not end what another program has put there meanwhile")
    func hiding() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            let source = try await Self.show(["a/b"], clipboard, compositor, device)
            async let hidden: Void = clipboard.clear(.primary, isForAll: false)
            // Without a request to the device.
            let request = try await compositor.next()
            #expect(request.object == source && request.opcode == 1)
            try await compositor.offer(["new"], as: Self.first, on: device, opcode: 3)
            try await compositor.answerSync()
            try await hidden
            guard case .changed(.primary, let contents) = await clipboard.events.next() else {
                Issue.record("the contents of the other program are not reported")
                return
            }
            #expect(contents.names == ["new"])
            try await compositor.send(device, 2)
            _ = await end
        }
    }

    @Test("Lying lengths, missing descriptors and numbers of the client end the connection with a reason")
    func violations() async throws {
        let length = try await Self.failure { compositor, device in
            try await compositor.send([UInt8(truncatingIfNeeded: device), 0, 0, 0, 0, 0, 3, 0])
        }
        #expect(length?.code == .protocolViolation)
        let string = try await Self.failure { compositor, device in
            try await compositor.send(device, 0) { $0.append(Self.first) }
            try await compositor.send(Self.first, 0) { $0.append(UInt32(4_000)) }
        }
        #expect(string?.code == .protocolViolation)
        let number = try await Self.failure { compositor, device in
            try await compositor.send(device, 0) { $0.append(device) }
        }
        #expect(number?.code == .protocolViolation)
        let ended = try await Self.failure { compositor, device in try await compositor.send(device, 2) }
        #expect(ended?.code == .linkDown)
        let descriptors = try await Self.failure { compositor, device in
            let (output, _) = try System.pipe().shared()
            for _ in 0..<100 { try await compositor.send([0], [output.raw]) }
        }
        #expect(descriptors?.code == .protocolViolation)
    }

    @Test("A request without a descriptor ends the connection")
    func noDescriptor() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end = Result<Void, any Error>.of { try await clipboard.run() }
            let device = try await compositor.device()
            let source = try await Self.show(["a/b"], clipboard, compositor, device)
            try await compositor.send(source, 0) { $0.append(string: "a/b") }
            let result = await end
            #expect(throws: Failure.self) { try result.get() }
        }
    }

    @Test("Endless offers and names are bounded, and the last selection counts")
    func endless() async throws {
        try await FakeCompositor.with { compositor, clipboard in
            async let end: Void? = try? clipboard.run()
            let device = try await compositor.device()
            let reading = Task { while !Task.isCancelled { _ = try await compositor.next() } }
            defer { reading.cancel() }
            for number in 0..<5_000 {
                try await compositor.send(device, 0) { $0.append(Self.first + UInt32(number)) }
            }
            let last = Self.first + 4_999
            for number in 0..<5_000 { try await compositor.send(last, 0) { $0.append(string: "a/\(number)") } }
            try await compositor.send(device, 1) { $0.append(last) }
            guard case .changed(.clipboard, let contents) = await clipboard.events.next() else {
                Issue.record("there is no event")
                return
            }
            #expect(contents.names.count == 512)
            try await compositor.send(device, 2)
            _ = await end
        }
    }
}

extension DesktopContents {
    fileprivate func bytes(_ name: String) async throws -> [UInt8] {
        let bytes = Lock<[UInt8]>([])
        try await transfer(name) { part in bytes.withLock { $0 += part } }
        return bytes.withLock(\.self)
    }
}

extension FakeCompositor {
    /// Lets the client write the bytes of names into pipes, by one message.
    fileprivate func bytes(_ names: [String], of source: UInt32) async throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for output in try await request(names, of: source) {
            let bytes = Lock<[UInt8]>([])
            _ = try await PipeTransfer.read(output, on: loop) { part in bytes.withLock { $0 += part } }
            all.append(bytes.withLock(\.self))
        }
        return all
    }

    fileprivate func bytes(_ name: String, of source: UInt32) async throws -> [UInt8] {
        try await bytes([name], of: source)[0]
    }

    /// - Returns: the ends of pipes, whose other ends only the client has afterwards.
    private func request(_ names: [String], of source: UInt32) async throws -> [DescriptorBox] {
        let pipes = try names.map { _ in try System.pipe().shared() }
        let messages = names.flatMap { name in WaylandMessage.request(source, 0) { $0.append(string: name) } }
        try await send(messages, pipes.map(\.second.raw))
        return pipes.map(\.first)
    }

    fileprivate func answerSync() async throws {
        var sync = try await next(to: 1, 0)
        let callback = try sync.uint32()
        try await send(callback, 0) { $0.append(UInt32(0)) }
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}
