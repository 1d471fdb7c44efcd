import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct BlockingConnectionTests {
    @Test("Requests end with the broker's answer")
    func requests() throws {
        let harness = try ConnectionHarness(script: { peer in
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
        })
        let listing = try harness.connection.listing(settles: false)
        #expect(listing.contents.changeCount == 42)
        #expect(listing.items.count == 2)
        #expect(try harness.connection.welcome().epoch == 7)
        #expect(try harness.connection.clear().changeCount == 43)
        #expect(try harness.connection.status().count == 1)
        let failure = #expect(throws: Failure.self) { try harness.connection.stop() }
        #expect(failure?.code == .notPermitted)
    }

    @Test("Hello and the first request are one write")
    func pipelined() throws {
        let harness = try ConnectionHarness(wholeScript: { peer in
            // The request arrives before any welcome was sent.
            _ = try peer.next(.hello)
            let list = try peer.next(.list).stream
            try peer.welcome()
            try peer.send(Contents(), stream: list)
            try peer.send(End(), stream: list)
        })
        #expect(try harness.connection.listing(settles: false).items.isEmpty)
    }

    @Test("A load delivers its chunks in order, and grants credit as they are consumed")
    func load() throws {
        let harness = try ConnectionHarness(script: { peer in
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
        })
        var load = Load()
        load.credit = 8
        var bytes: [UInt8] = []
        var steps: [String] = []
        let answer = try harness.connection.load(
            load,
            answered: { steps.append($0.type ?? "") },
            bytes: { bytes.append(copying: $0) }
        )
        #expect(answer.type == "public.text")
        #expect(steps == ["public.text"])
        #expect(bytes == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test("A closure that throws ends the load on both sides, and the connection continues")
    func givenUp() throws {
        struct Mine: Error {}
        let harness = try ConnectionHarness(script: { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1], stream: load)
            _ = try peer.next(.cancel)
            try peer.sendData([2], stream: load, last: true)
            let second = try peer.next(.load).stream
            try peer.send(Answer(), stream: second)
            try peer.sendData([3], stream: second, last: true)
        })
        #expect(throws: Mine.self) { try harness.connection.load(Load()) { _ in throw Mine() } }
        #expect(try harness.connection.loadBytes(Load()).bytes == [3])
    }

    // MARK: A broker that exits

    @Test(
        "Frames sent before the broker exited are delivered; anything missing is broker-restarted"
    )
    func gone() throws {
        let harness = try ConnectionHarness(script: { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1, 2], stream: load, last: true)
            peer.close()
        })
        #expect(try harness.connection.loadBytes(Load()).bytes == [1, 2])
        let failure = #expect(throws: Failure.self) { try harness.connection.listing(settles: false) }
        #expect(failure?.code == .brokerRestarted)
        #expect(failure?.text.contains("/test/socket") == true)
        #expect(failure.map { harness.connection.io.loss(of: $0) } == .crashed)
        let load = #expect(throws: Failure.self) { try harness.connection.loadBytes(Load()) }
        #expect(load?.code == .brokerRestarted)
        // Later requests fail in the same way.
        #expect(throws: Failure.self) { try harness.connection.clear() }
    }

    @Test("Bytes that the broker sent before it closed the connection arrive although a write fails")
    func goneWhileGranting() throws {
        let isReading = try System.pipe()
        let isClosed = try System.pipe()
        let (reading, closed) = (isReading.first.raw, isClosed.second.raw)
        let harness = try ConnectionHarness(script: { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.sendData([1], stream: load)
            _ = try System.read(reading, upTo: 1)
            try peer.sendData([2], stream: load)
            try peer.sendData([3], stream: load, last: true)
            peer.close()
            try System.write([0].span, to: closed)
        })
        var load = Load()
        load.credit = 1 << 20
        let stream = try harness.connection.io.state.open(load)
        var bytes: [UInt8] = []
        var isDone = false
        while !isDone {
            try harness.connection.turn { state, event, memory in
                guard case .data(_, let payload, let isLast) = event else { return }
                bytes.append(copying: memory.extracting(payload))
                isDone = isLast
                guard bytes == [1] else { return }
                // The credit is sent after the broker has closed the connection.
                try? System.write([0].span, to: isReading.second.raw)
                _ = try? System.read(isClosed.first.raw, upTo: 1)
                state.consumed(stream, count: 1)
                state.grant(stream)
            }
        }
        #expect(bytes == [1, 2, 3])
    }

    @Test("A broker that announces its end is broker-restarted, after the frames still in transit")
    func farewell() throws {
        let harness = try ConnectionHarness(script: { peer in
            let load = try peer.next(.load).stream
            try peer.send(Answer(), stream: load)
            try peer.send(Failure(.brokerRestarted, "ends"), stream: 0)
            try peer.sendData([1, 2], stream: load, last: true)
            peer.close()
        })
        #expect(try harness.connection.loadBytes(Load()).bytes == [1, 2])
        let failure = #expect(throws: Failure.self) { try harness.connection.listing(settles: false) }
        #expect(failure?.code == .brokerRestarted)
    }

    @Test("A broker that violates the protocol is notified and disconnected")
    func violation() throws {
        let pair = try Socket.pair()
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        let connection = BlockingConnection(adopting: try System.duplicate(pair.first.raw), path: "/test/socket")
        try peer.welcome()
        try peer.send(End(), stream: 99)
        let failure = #expect(throws: Failure.self) { try connection.listing(settles: false) }
        #expect(failure?.code == .protocolViolation)
        let told = try peer.next(.error)
        #expect(told.stream == 0)
        #expect(try told.decoded(as: Failure.self).code == .protocolViolation)
    }

    @Test("An ask that arrives while a request waits keeps its type")
    func stashedAsk() throws {
        let harness = try ConnectionHarness(script: { peer in
            let list = try peer.next(.list).stream
            var ask = Ask()
            ask.type = "public.text"
            try peer.send(ask, stream: StreamID(askSlot: 0, generation: 1).rawValue)
            try peer.send(Contents(), stream: list)
            try peer.send(End(), stream: list)
        })
        _ = try harness.connection.listing(settles: false)
        var type: String?
        try harness.connection.turn(until: 0) { _, event, bytes in
            if case .asked(_, let ask) = event { type = ask.type(in: bytes) }
        }
        #expect(type == "public.text")
    }

    @Test("The end of a publication that arrives together with the answer to its write is kept for the next turn")
    func stashedEnd() throws {
        let harness = try ConnectionHarness(script: { peer in
            let write = try peer.next(.commit).stream
            var encoder = FrameMemory()
            encoder.append(Committed(), stream: write)
            encoder.append(End(), stream: write)
            try peer.write(encoder.bytes)
        })
        let publication = try harness.connection.write(Write(), items: [])
        var hasEnded = false
        try harness.connection.turn(until: 0) { _, event, _ in
            if case .ended(publication.stream, _) = event { hasEnded = true }
        }
        #expect(hasEnded)
    }

    // MARK: A broker that hangs

    @Test("A broker that never sends welcome is abandoned")
    func noWelcome() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.welcome = 1
        let harness = try ConnectionHarness(timeouts: timeouts, wholeScript: { peer in _ = try peer.next(.data) })
        let failure = #expect(throws: Failure.self) { try harness.connection.listing(settles: false) }
        #expect(failure?.code == .brokerUnavailable)
    }

    @Test("A load that the broker does not end in time ends with an error that does not blame the broker")
    func lateLoad() throws {
        let harness = try ConnectionHarness(script: { peer in while true { _ = try peer.next() } })
        var load = Load()
        load.timeoutMilliseconds = 1
        let failure = #expect(throws: Failure.self) { try harness.connection.loadBytes(load) }
        #expect(failure?.code == .timeout && failure?.text == "the load did not end within 1 ms")
    }

    @Test("A broker that does not answer hello by a deadline is abandoned with a timeout")
    func lateWelcome() throws {
        let harness = try ConnectionHarness(wholeScript: { peer in while true { _ = try peer.next() } })
        let failure = #expect(throws: Failure.self) { try harness.connection.welcome(until: 0) }
        #expect(failure?.code == .timeout && failure?.text.contains("/test/socket") == true)
    }

    @Test("A change that is not answered in time may have been carried out", .tags(.f82), arguments: [false, true])
    func lateChange(endsConnection: Bool) throws {
        let harness = try ConnectionHarness(script: { peer in while true { _ = try peer.next() } })
        let connection = harness.connection
        _ = try connection.welcome()
        if endsConnection { connection.io.timeouts.end = 0 } else { connection.io.timeouts.answer = 1 }
        let failure = #expect(throws: Failure.self) { try connection.clear() }
        let lost = connection.requestFailure(try #require(failure))
        #expect(lost?.failure.code == .timeout && lost?.loss == .silent && lost?.reached == .request)
    }

    @Test("A silent broker is probed, and the load continues if it answers")
    func alive() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.silence = 1
        let harness = try ConnectionHarness(
            timeouts: timeouts,
            script: { peer in
                let load = try peer.next(.load).stream
                for _ in 0..<3 {
                    try peer.send(Failure(.invalidArgument, "no such name"), stream: try peer.next(.list).stream)
                }
                try peer.send(Answer(), stream: load)
                try peer.sendData([1], stream: load, last: true)
                // Later requests get no answer; the load has its result.
                while true { _ = try peer.next() }
            }
        )
        #expect(try harness.connection.loadBytes(Load()).bytes == [1])
    }

    @Test("A broker that does not answer a probe is abandoned with a timeout")
    func hangs() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.silence = 1
        timeouts.probe = 1
        let harness = try ConnectionHarness(timeouts: timeouts, script: { peer in while true { _ = try peer.next() } })
        _ = try harness.connection.welcome()
        let failure = #expect(throws: Failure.self) { try harness.connection.loadBytes(Load()) }
        #expect(failure?.code == .timeout)
        #expect(failure?.text.contains("does not answer") == true)
    }

    @Test("A broker that answers probes, but never ends the answer to a list, is abandoned with a timeout")
    func endless() throws {
        var timeouts = ConnectionTimeouts.endless
        timeouts.answer = 1
        let harness = try ConnectionHarness(
            timeouts: timeouts,
            script: { peer in
                let list = try peer.next(.list).stream
                try peer.send(Contents(), stream: list)
                while true { _ = try peer.next() }
            }
        )
        let failure = #expect(throws: Failure.self) { try harness.connection.listing(settles: false) }
        #expect(failure?.code == .timeout)
    }

    // MARK: Sources

    @Test("An ask that arrives while a request waits is kept for the next turn, and answered within its credit")
    func asked() throws {
        let harness = try ConnectionHarness(script: { peer in
            let write = try peer.next(.write).stream
            _ = try peer.next(.commit)
            var encoder = FrameMemory()
            encoder.append(Committed(), stream: write)
            var ask = Ask()
            ask.type = "public.text"
            ask.credit = 2
            encoder.append(ask, stream: 1 << 32)
            try peer.write(encoder.bytes)
            #expect(try peer.next(.data).payload == [1, 2])
            var credit = Credit()
            credit.offset = 10
            try peer.send(credit, stream: 1 << 32)
            let rest = try peer.next(.data)
            #expect(rest.payload == [3] && rest.header.flags == .last)
            try peer.send(End(), stream: write)
        })
        let connection = harness.connection
        var promise = Representation()
        promise.type = "public.text"
        let item = WriteItem(representations: [(representation: promise, source: .promised)])
        let publication = try connection.write(Write(), items: [item])
        let bytes: [UInt8] = [1, 2, 3]
        var sent = 0
        var isOver = false
        while !isOver {
            var ready: UInt64?
            try connection.turn { _, event, _ in
                switch event {
                case .asked(let ask, _), .askCredit(let ask): ready = ask
                case .ended(publication.stream, _): isOver = true
                default: break
                }
            }
            guard let ask = ready else { continue }
            sent += try connection.io.send(bytes.span.extracting(sent..<bytes.count), on: ask, last: true) ?? 0
        }
        #expect(sent == 3)
    }

    @Test("A turn also waits for the caller's descriptors")
    func extra() throws {
        let harness = try ConnectionHarness(script: { peer in _ = try peer.next(.data) })
        let event = try EventDescriptor()
        event.signal()
        _ = try harness.connection.welcome()
        let ready = try harness.connection.turn(extra: [PollInterest(event.raw, .readable)]) { _, _, _ in }
        #expect(ready == [.readable])
        let idle = try harness.connection.turn(until: 0) { _, _, _ in }
        #expect(idle.isEmpty)
    }
}
