import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct BrokerConnectionTests {
    @Test("Requests end with the broker's answer")
    func requests() throws {
        try EngineHarness.run { peer in
            let list = try peer.next(.list).stream
            var contents = Contents()
            contents.changeCount = 42
            try peer.send(contents, stream: list)
            try peer.send(Item(), stream: list)
            try peer.send(Item(), stream: list)
            try peer.send(End(), stream: list)
            let clear = try peer.next(.clear).stream
            var committed = Committed()
            committed.changeCount = 43
            try peer.send(committed, stream: clear)
            try peer.send(End(), stream: clear)
            let status = try peer.next(.status).stream
            try peer.send(StatusEntry(), stream: status)
            try peer.send(End(), stream: status)
            try peer.send(Failure(.notPermitted, "no"), stream: try peer.next(.stop).stream)
        } body: { connection async throws in
            let listing = try await connection.listing(settles: false)
            #expect(listing.contents.changeCount == 42 && listing.items.count == 2)
            #expect(connection.welcome.epoch == 7)
            #expect(try await connection.clear(Clear()).changeCount == 43)
            #expect(try await connection.status().count == 1)
            let failure = await #expect(throws: RequestFailure.self) { try await connection.stop() }
            #expect(
                failure?.failure.code == .notPermitted && failure?.loss == .other && failure?.reached == .request
            )
        }
    }

    @Test("An empty board that may get contents back is listed again after its first change")
    func settling() throws {
        try EngineHarness.run(welcomes: false) { peer in
            _ = try peer.next(.hello)
            var welcome = Welcome.standard()
            welcome.settlingMilliseconds = 1_000
            try peer.send(welcome, stream: 0)
            let first = try peer.next(.list).stream
            try peer.send(Contents(), stream: first)
            try peer.send(End(), stream: first)
            let watch = try peer.next(.watch).stream
            try peer.send(Registered(), stream: watch)
            try peer.send(Change(), stream: watch)
            let second = try peer.next(.list).stream
            var contents = Contents()
            contents.handle = 7
            try peer.send(contents, stream: second)
            try peer.send(End(), stream: second)
        } body: { connection async throws in
            try await connection.begin()
            #expect(try await connection.listing().contents.handle == 7)
        }
    }

    @Test("A load delivers its chunks in order, and grants credit as they are read")
    func load() throws {
        try EngineHarness.run { peer in
            let frame = try peer.next(.load)
            #expect(try frame.decoded(as: Load.self).credit == 8)
            var answer = Answer()
            answer.type = "public.text"
            try peer.send(answer, stream: frame.stream)
            try peer.send(Progress(), stream: frame.stream)
            try peer.sendData([1, 2, 3, 4, 5, 6, 7, 8], stream: frame.stream)
            // No more bytes may arrive before this credit.
            #expect(try peer.next(.credit).decoded(as: Credit.self).offset == 16)
            try peer.sendData([9], stream: frame.stream, last: true)
        } body: { connection async throws in
            var load = Load()
            load.credit = 8
            var incoming = try await connection.load(load)
            #expect(incoming.answer.type == "public.text")
            #expect(try await incoming.next() == [1, 2, 3, 4, 5, 6, 7, 8])
            #expect(try await incoming.next() == [9])
            #expect(try await incoming.next() == nil)
        }
    }

    @Test("A report of the source before its answer is passed on, and the load goes on")
    func earlyReport() throws {
        let reports = try EventDescriptor()
        let shared = DescriptorBox(try System.duplicate(reports.raw))
        try EngineHarness.run { peer in
            let frame = try peer.next(.load)
            var progress = Progress()
            (progress.completed, progress.total) = (1, 3)
            try peer.send(progress, stream: frame.stream)
            // The client has handled it.
            _ = try peer.next(.clear)
            try peer.send(Answer(), stream: frame.stream)
            try peer.sendData([9], stream: frame.stream, last: true)
        } body: { connection async throws in
            let clearing = Task(executorPreference: connection.loop) {
                await connection.loop.ready(PollInterest(shared.raw, .readable))
                _ = try? await connection.clear(Clear())
            }
            var incoming = try await connection.load(Load(1, accepts: [])) { completed, total in
                #expect(completed == 1 && total == 3)
                reports.signal()
            }
            #expect(try await incoming.next() == [9])
            clearing.cancel()
        }
    }

    @Test("A load that is not read to its end ends on both sides, and the connection continues")
    func abandoned() throws {
        try EngineHarness.run { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1], stream: load)
            _ = try peer.next(.cancel)
            try peer.sendData([2], stream: load, last: true)
            let second = try peer.next(.load).stream
            try peer.send(Answer(), stream: second)
            try peer.sendData([3], stream: second, last: true)
        } body: { connection async throws in
            #expect(try await connection.loadBytes(Load(), upTo: 1).bytes == [1])
            #expect(try await connection.loadBytes(Load()).bytes == [3])
        }
    }

    @Test("A cancelled task ends its load, and the others continue")
    func cancelled() throws {
        try EngineHarness.run { peer in
            _ = try peer.next(.load)
            let second = try peer.next(.load).stream
            _ = try peer.next(.cancel)
            try peer.send(Answer(), stream: second)
            try peer.sendData([3], stream: second, last: true)
        } body: { connection async throws in
            let first = Task(executorPreference: connection.loop) { try await connection.loadBytes(Load()).bytes }
            let second = Task(executorPreference: connection.loop) {
                first.cancel()
                return try await connection.loadBytes(Load()).bytes
            }
            let failure = await #expect(throws: RequestFailure.self) { try await first.value }
            #expect(failure?.failure.code == .cancelled)
            #expect(try await second.value == [3])
        }
    }

    // MARK: A broker that exits

    @Test("Frames sent before the broker exited are delivered; anything missing is broker-restarted", .tags(.f83))
    func gone() throws {
        try EngineHarness.run { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1, 2], stream: load, last: true)
            let list = try peer.next(.list).stream
            // The last event of the list and the end of the connection arrive together.
            var encoder = FrameMemory()
            encoder.append(Contents(), stream: list)
            encoder.append(End(), stream: list)
            try peer.write(encoder.bytes)
            peer.close()
        } body: { connection async throws in
            #expect(try await connection.loadBytes(Load()).bytes == [1, 2])
            #expect(try await connection.listing(settles: false).items.isEmpty)
            await connection.ended()
            let failure = await #expect(throws: RequestFailure.self) { try await connection.listing(settles: false) }
            #expect(failure?.failure.code == .brokerRestarted && failure?.loss == .crashed)
            #expect(failure?.failure.text.contains("/test/socket") == true)
            let load = await #expect(throws: RequestFailure.self) { try await connection.loadBytes(Load()) }
            #expect(load?.failure.code == .brokerRestarted && load?.reached == .uncommitted)
            let write = await #expect(throws: RequestFailure.self) { try await connection.keep([], as: Write()) }
            #expect(write?.failure.code == .brokerRestarted && write?.reached == .nothing)
        }
    }

    @Test("Bytes that the broker sent before it closed the connection arrive although a write fails", .tags(.f83))
    func goneWhileGranting() throws {
        let isReading = try System.pipe()
        let isClosed = try System.pipe()
        let (reading, closed) = (isReading.first.raw, isClosed.second.raw)
        try EngineHarness.run { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1, 2], stream: load)
            _ = try System.read(reading, upTo: 1)
            try peer.sendData([3], stream: load)
            try peer.sendData([4], stream: load, last: true)
            peer.close()
            try System.write([0].span, to: closed)
        } body: { [isRead = isReading.second.raw, isGone = isClosed.first.raw] connection async throws in
            var load = Load()
            load.credit = 4
            var incoming = try await connection.load(load)
            #expect(try await incoming.next() == [1, 2])
            try System.write([0].span, to: isRead)
            _ = try System.read(isGone, upTo: 1)
            // Their credit is sent now, after the broker has closed the connection.
            var rest: [UInt8] = []
            while let bytes = try await incoming.next() { rest += bytes }
            #expect(rest == [3, 4])
        }
    }

    @Test("A broker that announces its end is broker-restarted, after the frames still in transit")
    func farewell() throws {
        try EngineHarness.run { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.send(Failure(.brokerRestarted, "ends"), stream: 0)
            try peer.sendData([1, 2], stream: load, last: true)
            peer.close()
        } body: { connection async throws in
            #expect(try await connection.loadBytes(Load()).bytes == [1, 2])
            let takesRequests = connection.takesRequests
            #expect(!takesRequests)
            let failure = await #expect(throws: RequestFailure.self) { try await connection.listing(settles: false) }
            #expect(failure?.failure.code == .brokerRestarted && failure?.loss == .refused)
        }
    }

    @Test("A broker that violates the protocol is notified and disconnected")
    func violation() throws {
        let isTold = Lock(false)
        try EngineHarness.run { peer in
            try peer.send(End(), stream: 99)
            let told = try peer.next(.error)
            let isViolation = try told.decoded(as: Failure.self).code == .protocolViolation
            isTold.withLock { $0 = told.stream == 0 && isViolation }
            peer.close()
        } body: { connection async throws in
            await connection.ended()
            let failure = await #expect(throws: RequestFailure.self) { try await connection.listing(settles: false) }
            #expect(failure?.failure.code == .protocolViolation)
            try await eventually("the broker receives the error") { isTold.withLock { $0 } }
        }
    }

    // MARK: A broker that hangs

    @Test("A broker that never sends welcome is abandoned")
    func noWelcome() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.welcome = 1
        try EngineHarness.run(timeouts: timeouts, welcomes: false) { peer in
            _ = try peer.next(.data)
        } body: { connection async throws in
            let failure = await #expect(throws: RequestFailure.self) { try await connection.begin() }
            #expect(failure?.failure.code == .brokerUnavailable)
        }
    }

    @Test("A broker that never ends an answer is a timeout that names it, and says what was reached", .tags(.f82))
    func late() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.answer = 1
        try EngineHarness.run(timeouts: timeouts) { peer in
            try peer.send(Contents(), stream: try peer.next(.list).stream)
            while true { _ = try peer.next() }
        } body: { connection async throws in
            for request in [0, 1] {
                let failure = await #expect(throws: RequestFailure.self) {
                    if request == 0 {
                        _ = try await connection.listing(settles: false)
                    } else {
                        // It may have been carried out.
                        _ = try await connection.clear(Clear())
                    }
                }
                #expect(failure?.failure.code == .timeout && failure?.loss == .silent)
                #expect(failure?.failure.text == "the broker at /test/socket has not answered in the time allowed")
                #expect(failure?.reached == (request == 0 ? .uncommitted : .request))
            }
        }
    }

    @Test("A load that the broker does not end in time ends with an error that does not blame the broker")
    func lateLoad() throws {
        try EngineHarness.run { peer in
            while true { _ = try peer.next() }
        } body: { connection async throws in
            let failure = await #expect(throws: RequestFailure.self) {
                var load = Load()
                load.timeoutMilliseconds = 1
                _ = try await connection.loadBytes(load)
            }
            #expect(failure?.failure.code == .timeout)
            #expect(failure?.failure.text == "the load did not end within 1 ms")
        }
    }

    @Test("A silent broker is probed, and the load continues if it answers")
    func alive() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.silence = 1
        try EngineHarness.run(timeouts: timeouts) { peer in
            let load = try peer.next(.load).stream
            for _ in 0..<3 {
                try peer.send(Failure(.invalidArgument, "no such name"), stream: try peer.next(.list).stream)
            }
            try peer.send(Answer(), stream: load)
            try peer.sendData([1], stream: load, last: true)
            while true { _ = try peer.next() }
        } body: { connection async throws in
            #expect(try await connection.loadBytes(Load()).bytes == [1])
        }
    }

    @Test("A broker that does not answer a probe is abandoned with a timeout")
    func hangs() throws {
        var timeouts = ConnectionTimeouts.endless
        (timeouts.silence, timeouts.probe) = (1, 1)
        try EngineHarness.run(timeouts: timeouts) { peer in
            while true { _ = try peer.next() }
        } body: { connection async throws in
            let failure = await #expect(throws: RequestFailure.self) { try await connection.loadBytes(Load()) }
            #expect(failure?.failure.code == .timeout && failure?.loss == .silent)
            #expect(failure?.failure.text.contains("does not answer") == true)
        }
    }

    // MARK: Writes

    private static func item(_ sources: [ByteSource]) -> WriteItem {
        WriteItem(
            representations: sources.enumerated().map { number, source in
                var representation = Representation()
                representation.type = "com.example.type\(number)"
                return (representation: representation, source: source)
            }
        )
    }

    private static func descriptor(_ raw: CInt) -> ByteSource {
        .pieces(of: raw) { try System.read(raw, upTo: WireLimits.dataLength) }
    }

    @Test("Kept bytes follow their item in order, from memory and from a descriptor, each with its end")
    func kept() throws {
        let large = [UInt8](repeating: 7, count: 3 << 20)
        let pipe = try System.pipe()
        try System.write(Array("typed".utf8).span, to: pipe.second.raw)
        let reader = DescriptorBox(pipe.keepingFirst())
        try EngineHarness.run { peer in
            let stream = try peer.next(.write).stream
            #expect(
                try peer.next(.item).decoded(as: Item.self).representations.map(\.provision)
                    == [.kept, .promised, .kept, .kept]
            )
            var sequences: [[UInt8]] = [[]]
            while true {
                let frame = try peer.next()
                guard frame.kind == .data else {
                    #expect(try frame.decoded(as: Commit.self).itemCount == 1)
                    break
                }
                sequences[sequences.count - 1] += frame.payload
                if frame.header.flags.contains(.last) { sequences.append([]) }
            }
            var committed = Committed()
            committed.changeCount = sequences == [large, Array("typed".utf8), [], []] ? 1 : 0
            try peer.send(committed, stream: stream)
        } body: { connection async throws in
            let item = Self.item([.bytes(large), .promised, Self.descriptor(reader.raw), .bytes([])])
            #expect(try await connection.keep([item], as: Write()).changeCount == 1)
        }
    }

    @Test("A refusal ends the write immediately, even while the descriptor has no data")
    func refusedWhileWaiting() throws {
        let pipe = try System.pipe()
        let reader = pipe.first.raw
        try EngineHarness.run { peer in
            try peer.send(Failure(.superseded, "changed"), stream: try peer.next(.write).stream)
            _ = try peer.next(.data)
        } body: { connection async throws in
            let failure = await #expect(throws: RequestFailure.self) {
                try await connection.keep([Self.item([Self.descriptor(reader)])], as: Write())
            }
            #expect(failure?.failure.code == .superseded)
        }
    }

    @Test("The error of a broker that refuses a write and exits is read, even though it read no more")
    func refusedAndGone() throws {
        try EngineHarness.run { peer in
            try peer.send(Failure(.noSpace, "full"), stream: try peer.next(.write).stream)
            peer.close()
        } body: { connection async throws in
            let failure = await #expect(throws: RequestFailure.self) {
                let large = [UInt8](repeating: 7, count: 16 << 20)
                return try await connection.keep([Self.item([.bytes(large)])], as: Write())
            }
            #expect(failure?.failure.code == .noSpace)
        }
    }

    @Test("An unreadable descriptor is the caller's error, and the write is withdrawn")
    func unreadable() throws {
        try EngineHarness.run { peer in
            _ = try peer.next(.cancel)
            let list = try peer.next(.list).stream
            try peer.send(Contents(), stream: list)
            try peer.send(End(), stream: list)
        } body: { connection async throws in
            let directory = try System.open("/")
            await #expect(throws: SystemError.self) {
                try await connection.keep([Self.item([Self.descriptor(directory.raw)])], as: Write())
            }
            #expect(try await connection.listing(settles: false).items.isEmpty)
        }
    }
}
