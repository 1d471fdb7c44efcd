import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Destinations that exit or fall silent at each point of a load, and the effect on their source and other
/// destinations.
@Suite(.processes) struct DestinationDeathTests {
    @Test(
        "The death of a destination before the end is reported to its source once",
        .tags(.f27),
        arguments: [0, 1, 150_000, 300_000],
        PeerProcess.Ending.allCases
    )
    func death(after count: Int, by ending: PeerProcess.Ending) throws {
        try BrokerProcess.run { broker in
            let source = try broker.source("bytes=300000")
            let destination = try broker.destination()
            try source.expect("asked")
            if count > 0 {
                try source.order("send \(count)", expecting: "sent \(count)")
                try destination.wait(for: "bytes \(count)")
            }
            try destination.end(by: ending)
            try source.expect("cancelled")
            #expect(try broker.loads() == 0)
            // The next line of the source is about the next load.
            let next = try broker.destination()
            try source.expect("asked")
            try source.order("send 300000", expecting: "sent 300000")
            try source.order("end", expecting: "ended")
            #expect(try next.outcome() == "done 300000 intact")
        }
    }

    @Test("The death of a destination after the end is not reported to its source", .tags(.f27))
    func deathAfterTheEnd() throws {
        try BrokerProcess.run { broker in
            let source = try broker.source()
            let destination = try broker.destination()
            try source.expect("asked")
            try destination.signal(SIGSTOP)
            try source.order("send 200000", expecting: "sent 200000")
            try source.order("end", expecting: "ended")
            try destination.kill()
            #expect(try broker.loads() == 0)
            let next = try broker.destination()
            try source.expect("asked")
            try source.order("end", expecting: "ended")
            #expect(try next.outcome() == "done 0 intact")
        }
    }

    @Test(
        "With one destination of eight that never reads and one stopped, all others get everything",
        .tags(.f37, .f41)
    )
    func eight() throws {
        try BrokerProcess.run { broker in
            let source = try broker.source("serve=\(4 << 20)")
            let silent = try broker.destination("hold", "credit=1000")
            try silent.wait(for: "bytes 1000")
            let stopped = try broker.destination("credit=1000", "hold")
            try stopped.wait(for: "bytes 1000")
            try stopped.signal(SIGSTOP)
            let others = try (0..<6).map { _ in try broker.destination() }
            for other in others { #expect(try other.outcome() == "done \(4 << 20) intact") }
            try stopped.order("take \(4 << 20)")
            try stopped.signal(SIGCONT)
            #expect(try stopped.outcome() == "done \(4 << 20) intact")
            #expect(try broker.loads() == 1)
            try silent.kill()
            for _ in 0..<8 { try source.expect("asked") }
            try source.expect("cancelled")
            #expect(try broker.loads() == 0)
        }
    }
}
