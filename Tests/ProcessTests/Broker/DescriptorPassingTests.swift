import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Descriptors between real processes: they arrive or are refused, and none stays open.
@Suite(.processes) struct DescriptorPassingTests {
    private static func representation(_ type: String) -> Representation {
        var representation = Representation()
        representation.type = type
        return representation
    }

    @Test(
        "Anything except a read-only file or sealed memory fails the load, and the error names it",
        .tags(.f56, .f57, .f58),
        arguments: [
            ("file:/", "directory"), ("file:/dev/zero", "device"), ("pipe:", "pipe"), ("socket:", "socket"),
            ("writable:file", "not open for reading only"), ("name:file", "not open for reading only"),
            ("memory:10", "not sealed"), ("half-sealed:10", "not sealed"),
        ]
    )
    func refused(thing: String, word: String) throws {
        try BrokerProcess.run { broker in
            try broker.place.directory.write([1, 2, 3], to: "file")
            let thing = thing.hasSuffix(":file") ? "\(thing.dropLast(4))\(broker.place.directory["file"])" : thing
            let source = try broker.source("pass=\(thing)", "bytes=3")
            let connection = try broker.connect()
            let failure = #expect(throws: Failure.self) { try connection.loadBytes(Load()) }
            #expect(failure?.code == .sourceFailed)
            #expect(failure?.text.contains(word) == true, "\(failure?.text ?? "")")
            // The source is still connected, and is asked again.
            #expect(throws: Failure.self) { try connection.loadBytes(Load()) }
            try source.end()
            try broker.expectService()
        }
    }

    @Test("No descriptor stays open in the broker, whatever happens to loads and their peers")
    func noLeak() throws {
        try BrokerProcess.run { broker in
            try broker.place.directory.write([UInt8](repeating: 1, count: 100_000), to: "file")
            try broker.expectService()
            let path = broker.place.directory["file"]
            let writer = try broker.connect()
            let kept = WriteItem(
                representations: [
                    (
                        representation: Self.representation("public.data"),
                        source: .bytes([UInt8](repeating: 3, count: 100_000))
                    )
                ]
            )
            var board = Write()
            board.board = "kept"
            _ = try writer.write(board, items: [kept])
            let before = try broker.openDescriptorCount()
            for (name, thing) in [("file", "file:\(path)"), ("memory", "sealed:100000")] {
                let source = try broker.source("board=\(name)", "pass=\(thing)")
                for holds in [false, true] {
                    let connection = try broker.connect()
                    for _ in 0..<200 {
                        var load = Load()
                        load.board = name
                        load.descriptorWelcome = true
                        if holds {
                            // Cancelled immediately, before or after it was passed.
                            connection.io.state.cancel(try connection.io.state.open(load))
                            _ = try connection.status()
                        } else {
                            #expect(try connection.loadBytes(load).bytes.count == 100_000)
                        }
                    }
                }
                // A destination that never reads the passed descriptor, and dies.
                let blind = try broker.destination("board=\(name)", "takes-descriptor", "blind")
                try blind.expect("loading")
                try source.wait(for: "passed")
                try blind.kill()
                try source.end()
            }
            let connection = try broker.connect()
            for _ in 0..<200 {
                var load = Load()
                load.board = "kept"
                #expect(try connection.loadBytes(load).bytes.count == 100_000)
            }
            try broker.expectDescriptors(backTo: before + 1)
        }
    }

    /// Sends hello, waits for welcome unless `hasty` is true, and passes descriptors with one frame.
    private func farewell(
        to broker: BrokerProcess,
        passing count: Int,
        announced: UInt8,
        kind: FrameKind = .answer,
        hasty: Bool = false
    ) throws -> ErrorCode? {
        let socket = DescriptorBox(try broker.place.connect())
        let peer = ScriptedPeer(try System.duplicate(socket.raw))
        var hello = Hello()
        hello.features = [Feature.descriptors.rawValue]
        if !hasty {
            try peer.send(hello, stream: 0)
            #expect(try peer.next().kind == .welcome)
        }
        let file = try MemoryFile()
        try file.seal()
        var encoder = FrameMemory()
        encoder.append(header: FrameHeader(kind, stream: 1, length: 0, flags: .last, descriptorCount: announced))
        var output = OutputBuffer()
        if count > 0 { output.markDescriptors([DescriptorBox](repeating: file.descriptor, count: count), name: 1) }
        output.appendStream(encoder.bytes.span)
        var delivered: [Delivery] = []
        if case .refused = try output.flush(to: socket.raw, delivered: &delivered) { return nil }
        let code = try peer.next().decoded(as: Failure.self).code
        #expect(throws: ScriptedPeerError.closed) { try peer.next() }
        return code
    }

    @Test(
        "A peer that passes a wrong number of descriptors, or one with another frame, is the only one disconnected",
        .tags(.f54)
    )
    func counts() throws {
        try BrokerProcess.run { broker in
            try broker.expectService()
            let before = try broker.openDescriptorCount()
            for (count, announced) in [(0, 1), (2, 1), (253, 1), (1, 0), (253, 0), (2, 2), (253, 253)] as [(Int, UInt8)]
            {
                let code = try farewell(to: broker, passing: count, announced: announced)
                #expect(code == .protocolViolation, "\(count) \(announced)")
                // While many are not closed yet, new clients pass none.
                try broker.expectDescriptors(backTo: before)
            }
            #expect(try farewell(to: broker, passing: 1, announced: 1, kind: .load) == .protocolViolation)
            // If the kernel supports it, the socket itself refuses descriptors before welcome.
            let code = try farewell(to: broker, passing: 1, announced: 1, hasty: true)
            #expect(code == nil || code == .protocolViolation)
            try broker.expectService()
            try broker.expectDescriptors(backTo: before)
        }
    }

    @Test("A socket that is passed over itself leaves nothing in the kernel", .tags(.f55))
    func cycle() throws {
        try BrokerProcess.run { broker in
            try broker.expectService()
            let before = try broker.openDescriptorCount()
            for _ in 0..<100 {
                let socket = DescriptorBox(try broker.place.connect())
                let peer = ScriptedPeer(try System.duplicate(socket.raw))
                var hello = Hello()
                hello.features = [Feature.descriptors.rawValue]
                try peer.send(hello, stream: 0)
                #expect(try peer.next().kind == .welcome)
                var encoder = FrameMemory()
                encoder.append(header: FrameHeader(.answer, stream: 2, length: 0, flags: .last, descriptorCount: 1))
                var output = OutputBuffer()
                output.markDescriptors([socket], name: 1)
                output.appendStream(encoder.bytes.span)
                var delivered: [Delivery] = []
                _ = try output.flush(to: socket.raw, delivered: &delivered)
                #expect(try peer.next().decoded(as: Failure.self).code == .protocolViolation)
            }
            try broker.expectDescriptors(backTo: before)
        }
    }

    @Test("A descriptor for which the broker has no room fails its load, and nothing else", .tags(.f52))
    func noRoom() throws {
        try BrokerProcess.run { broker in
            let source = try broker.source("pass=sealed:100")
            let connection = try broker.connect()
            _ = try connection.status()
            let before = try broker.openDescriptorCount()
            #expect(try connection.loadBytes(Load()).bytes.count == 100)
            try broker.expectDescriptors(backTo: before)
            // Below this limit there are only the standard streams.
            try Self.limitDescriptors(of: broker, to: 3)
            let failure = #expect(throws: Failure.self) { try connection.loadBytes(Load()) }
            #expect(failure?.code == .sourceFailed)
            #expect(failure?.text.contains("too many open") == true, "\(failure?.text ?? "")")
            // The memory file for kept bytes cannot be created either.
            let item = WriteItem(representations: [(representation: Self.representation("a.b"), source: .bytes([1]))])
            var board = Write()
            board.board = "other"
            let refusal = #expect(throws: Failure.self) { try connection.write(board, items: [item]) }
            #expect(refusal?.code == .noSpace)
            #expect(refusal?.text.contains("Too many open files") == true, "\(refusal?.text ?? "")")
            try Self.limitDescriptors(of: broker, to: 10_000)
            #expect(try connection.loadBytes(Load()).bytes.count == 100)
            try source.end()
        }
    }

    private static func limitDescriptors(of broker: BrokerProcess, to limit: Int) throws {
        let arguments = ["--pid", "\(broker.runner.child.id)", "--nofile=\(limit):"]
        let prlimit = try ProcessRunner("/usr/bin/prlimit", arguments, environment: [:]).finish()
        #expect(prlimit.exitCode == 0, "\(prlimit.errorText)")
    }
}
