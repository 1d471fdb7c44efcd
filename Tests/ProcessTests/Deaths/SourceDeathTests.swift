import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Sources that exit at each point of a load, by a signal or regularly, and the result at their destination.
@Suite(.processes) struct SourceDeathTests {
    enum Point: CaseIterable {
        case beforeTheLoad
        case beforeTheFirstByte
        case afterOneByte
        case inTheMiddle
        case insideAFrame
        case beforeTheEnd
        case afterTheEnd

        var sent: Int {
            switch self {
            case .beforeTheLoad, .beforeTheFirstByte, .insideAFrame: 0
            case .afterOneByte: 1
            case .inTheMiddle: 150_000
            case .beforeTheEnd, .afterTheEnd: SourceDeathTests.total
            }
        }

        var outcome: String {
            switch self {
            case .beforeTheEnd: "failed source-truncated"
            case .afterTheEnd: "done \(SourceDeathTests.total) intact"
            default: "failed source-gone"
            }
        }
    }

    /// More bytes than a source may send before it receives further credit.
    nonisolated private static let total = 300_000

    @Test(
        "The result of a source's death depends on the point of the load",
        .tags(.f22, .f23, .f24, .f25, .f26),
        arguments: Point.allCases,
        PeerProcess.Ending.allCases
    )
    func death(at point: Point, by ending: PeerProcess.Ending) throws {
        try BrokerProcess.run { broker in
            let source = try broker.source("bytes=\(Self.total)")
            if point == .beforeTheLoad { try source.end(by: ending) }
            let destination = try broker.destination()
            if point != .beforeTheLoad {
                try source.expect("asked")
                if point.sent > 0 { try source.order("send \(point.sent)", expecting: "sent \(point.sent)") }
                switch point {
                case .afterTheEnd: try source.order("end", expecting: "ended")
                case .insideAFrame: try source.order("half-frame 1000", expecting: "sent-part 1000")
                default: break
                }
                try source.end(by: ending)
            }
            #expect(try destination.outcome() == point.outcome)
            #expect(try broker.loads() == 0)
            try broker.expectService()
        }
    }

    @Test("A source that sends its whole answer and exits immediately is complete, every time", .tags(.f26))
    func wholeAnswers() throws {
        try BrokerProcess.run { broker in
            let destination = try broker.connect()
            for _ in 0..<thinned(20, full: 200) {
                let source = try broker.source()
                // As many bytes as it may send at once. The broker's next credit finds the connection closed.
                try source.order("send 260000\nend\nexit")
                #expect(try destination.loadBytes(.init()).bytes.count == 260_000)
                try source.finish()
            }
        }
    }

    @Test("A source that is stopped before or after its first byte is reported as stalled at the deadline", .tags(.f30))
    func stopped() throws {
        try BrokerProcess.run(limits: ["first-byte=200ms", "progress=10m"]) { broker in
            let source = try broker.source()
            try source.signal(SIGSTOP)
            #expect(try broker.destination().outcome() == "failed source-stalled")
            try source.signal(SIGCONT)
            try source.expect("asked")
            try source.expect("cancelled")
        }
        try BrokerProcess.run(limits: ["first-byte=10m", "progress=200ms"]) { broker in
            let source = try broker.source()
            let destination = try broker.destination()
            try source.expect("asked")
            try source.order("send 1")
            try destination.wait(for: "bytes 1")
            try source.signal(SIGSTOP)
            #expect(try destination.outcome() == "failed source-stalled")
            try source.signal(SIGCONT)
            try source.expect("sent 1")
            try source.expect("cancelled")
        }
    }
}
