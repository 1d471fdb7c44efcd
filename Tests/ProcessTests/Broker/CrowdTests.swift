import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Very many connections and requests of other processes.
@Suite(.processes) struct CrowdTests {
    @Test(
        "Beside 10,000 idle connections, or as many as the limit of descriptors allows, a canary copies, pastes and loads",
        .tags(.f44)
    )
    func idle() throws {
        // Most descriptors are for connections. The last ones are reserved for processes that have few.
        let limits = ["connections=13400", "kept-representations=64", "passed-descriptors=16"]
        try BrokerProcess.run(limits: limits) { broker in
            let canary = try Canary(at: broker)
            let before = try BrokerHoldings(of: broker, to: canary)
            let allowed = try canary.status().compactMap(\.limit).first { $0.name == "connections" }?.value
            // No process may have more than 4096.
            let count = min(3_334, Int(clamping: try #require(allowed)) / 4)
            let holders = try (0..<3).map { _ in try broker.peer("storm", ["connections=\(count)"]) }
            for holder in holders {
                try canary.sing()
                #expect(try holder.outcome() == "done \(count)")
            }
            for _ in 0..<20 { try canary.sing() }
            #expect(try canary.status().count { $0.peer != nil } == 3 * count + 2)
            for holder in holders {
                try holder.order("exit")
                try canary.sing()
                try holder.finish()
            }
            try broker.expectHoldings(before, to: canary)
        }
    }

    @Test(
        "Beside storms of requests a canary copies, pastes and loads, and nothing is left of them",
        .tags(.f45),
        arguments: ["connects=3000", "writes=500", "drags=1000", "cancels=2000", "connects=500 writes=100 drags=100"]
    )
    func storms(requests: String) throws {
        try BrokerProcess.run { broker in
            let canary = try Canary(at: broker)
            let before = try BrokerHoldings(of: broker, to: canary)
            let storms = try (0..<3).flatMap { _ in
                try requests.split(separator: " ").map { try broker.peer("storm", [String($0)]) }
            }
            for storm in storms {
                for _ in 0..<10 { try canary.sing() }
                #expect(try storm.outcome().hasPrefix("done "))
            }
            for storm in storms { try storm.finish() }
            try canary.clearOthers()
            try broker.expectHoldings(before, to: canary)
        }
    }

    @Test(
        "A broker whose address space is limited lowers its pools, says so, and survives 505 half frames",
        .unsanitized
    )
    func halfFrames() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), after: "ulimit -v 40960")
        var strangers: [ScriptedPeer] = []
        for _ in 0..<505 {
            let stranger = ScriptedPeer(try broker.place.connect())
            var frames = FrameMemory()
            frames.append(Hello(), stream: 0)
            frames.append(header: FrameHeader(.write, stream: 1, length: 61_440))
            // The broker may have ended the connection already.
            try? stranger.write(frames.bytes + [UInt8](repeating: 0, count: 60_000))
            strangers.append(stranger)
        }
        try broker.expectService()
        strangers = []
        try broker.expectService()
        let log = try broker.end().errorText
        #expect(log.contains("lowered limits to the memory that this process may use: metadata="), "\(log)")
    }
}
