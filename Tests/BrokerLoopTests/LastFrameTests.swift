import BrokerLoop
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct LastFrameTests {
    @Test(
        "A destination that ends its connection together with its load gets no more descriptors than loads are allowed",
        arguments: [false, true]
    )
    func counted(sendsError: Bool) throws {
        let broker = try SteppedBroker()
        let source = try broker.connect()
        var terms = ContentTerms()
        terms.maximumLoads = 1
        source.queueWrite([UInt8](repeating: 7, count: 200_000), to: "once", terms)
        repeat { try broker.step(sending: source) } while source.unsent > 0
        var received = 0
        for _ in 0..<4 {
            let peer = try broker.connect(descriptors: true)
            if !sendsError { peer.queue(Status(), stream: peer.newStream()) }
            var load = Load("once")
            load.descriptorWelcome = true
            peer.queue(load, stream: peer.newStream())
            if sendsError { peer.queue(Failure(.cancelled, "enough"), stream: 0) }
            try peer.push()
            peer.endWriting()
            var frames: [ScriptedPeer.Frame] = []
            for _ in 0..<100 where !peer.isEnded {
                try broker.step()
                frames += try peer.hear()
            }
            #expect(peer.isEnded)
            received += frames.count { $0.header.descriptorCount > 0 }
        }
        #expect(received == (sendsError ? 0 : 1))
        let reader = try broker.connect()
        reader.queueLists(of: "once", count: 1)
        try broker.step(sending: reader)
        let contents = try #require(try reader.hear().first { $0.kind == .contents })
        #expect((try contents.decoded(as: Contents.self).handle == nil) == (received == 1))
    }

    @Test("Bytes of loads that wait for a peer do not follow the error that ends its connection")
    func violation() throws {
        let broker = try SteppedBroker()
        let (source, peer) = (try broker.connect(), try broker.connect())
        let write = source.newStream()
        source.queue(Write("large"), stream: write)
        var item = Item()
        item.representations = [Representation()]
        item.representations[0].type = "public.data"
        item.representations[0].provision = .kept
        source.queue(item, stream: write)
        let bytes = [UInt8](repeating: 7, count: WireLimits.dataLength)
        for number in 1...8 { source.queueData(bytes, stream: write, last: number == 8) }
        source.queue(Commit(items: 1), stream: write)
        repeat { try broker.step(sending: source) } while source.unsent > 0
        // Two loads, so that a frame that has begun is small and its rest fits the socket.
        for _ in 0..<2 { peer.queue(Load("large"), stream: peer.newStream()) }
        try broker.step(sending: peer)
        try broker.step(3)
        #expect(try peer.hear().contains { $0.kind == .data })
        // A second hello.
        peer.queue(Hello(), stream: 0)
        try peer.push()
        var frames: [ScriptedPeer.Frame] = []
        for _ in 0..<100 where !peer.isEnded {
            try broker.step()
            frames += try peer.hear()
        }
        #expect(peer.isEnded)
        #expect(frames.last?.kind == .error && frames.last?.stream == 0)
        #expect(frames.count { $0.stream == 0 } == 1)
    }
}
