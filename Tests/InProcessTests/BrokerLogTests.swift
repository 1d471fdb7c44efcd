import BrokerState
import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import BrokerLoop

/// What the broker says to people, which may never hold it.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct BrokerLogTests {
    @Test("A line that nobody reads is dropped, and the next that fits follows the number of those")
    func dropped() throws {
        let pipe = try System.pipe()
        let log = LogStream(pipe.second.raw, program: "p")
        log.write("first")
        #expect(try System.read(pipe.first.raw, upTo: 100) == Array("p: first\n".utf8))
        let filling = [UInt8](repeating: 7, count: 4_096)
        var count = 0
        while System.writeIfReady(filling.span, to: pipe.second.raw) { count += filling.count }
        // Each would wait for ever.
        for _ in 0..<1_000 { log.write("dropped") }
        while count > 0 { count -= try System.read(pipe.first.raw, upTo: count).count }
        log.write("last")
        let text = String(decoding: try System.read(pipe.first.raw, upTo: 1_000), as: UTF8.self)
        #expect(text == "p: 1000 lines were dropped here, because nobody read\np: last\n")
        #expect(try System.openFlags(of: pipe.second.raw) & O_NONBLOCK == 0)
    }

    @Test("A long line is cut, and a stream that is closed is no error")
    func longAndClosed() throws {
        let pipe = try System.pipe()
        LogStream(pipe.second.raw, program: "p").write(String(repeating: "x", count: 100_000))
        #expect(try System.read(pipe.first.raw, upTo: 100_000).count == 4_096)
        LogStream(-1, program: "p").write("nothing")
    }

    @Test("A storm of refused connections is a line in ten seconds, with their number")
    func refusals() {
        var log = RefusalLog()
        #expect(log.line("no room", at: 50) == "refused a connection: no room")
        for time in 51..<10_050 { #expect(log.line("no room", at: UInt64(time)) == nil) }
        #expect(log.line("a stranger", at: 10_050) == "refused 10000 connections, the last one: a stranger")
        #expect(log.line("no room", at: 20_050) == "refused a connection: no room")
    }

    @Test("What takes descriptors fits into those that there are", arguments: [0, 64, 100, 1_024, 20_000, 1 << 40])
    func descriptors(_ count: UInt64) {
        var limits = BrokerLimits()
        limits.fit(descriptors: count)
        // With a connection two may wait for the rest of their frames, and as many as are passed may be unclosed.
        let most = limits.keptRepresentations + 2 * limits.passedDescriptors + 3 * limits.connections
        #expect(most <= max(count, 96) - 64)
        #expect(limits.connections > 0 && limits.keptRepresentations > 0 && limits.passedDescriptors > 0)
        if count > 100_000 { #expect(limits == BrokerLimits()) }
    }
}
