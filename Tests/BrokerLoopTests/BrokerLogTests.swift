import BrokerState
import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import BrokerLoop

/// The broker's log, which must never block the broker.
@Suite(.pure) struct BrokerLogTests {
    @Test("A line that does not fit is dropped, and the next one that fits is preceded by the number of dropped lines")
    func dropped() throws {
        let pipe = try System.pipe()
        let log = LogStream(pipe.second.raw, program: "p")
        log.write("first")
        #expect(try System.read(pipe.first.raw, upTo: 100) == Array("p: first\n".utf8))
        let filling = [UInt8](repeating: 7, count: 4_096)
        var count = 0
        while System.writeIfReady(filling.span, to: pipe.second.raw) { count += filling.count }
        // Each of these writes would block without limit.
        for _ in 0..<1_000 { log.write("dropped") }
        while count > 0 { count -= try System.read(pipe.first.raw, upTo: count).count }
        log.write("last")
        let text = String(decoding: try System.read(pipe.first.raw, upTo: 1_000), as: UTF8.self)
        #expect(text == "p: 1000 lines were dropped here, because they could not be written\np: last\n")
        #expect(try System.openFlags(of: pipe.second.raw) & O_NONBLOCK == 0)
    }

    @Test("A long line is cut before its newline, and a closed stream is not an error")
    func longAndClosed() throws {
        let pipe = try System.pipe()
        let log = LogStream(pipe.second.raw, program: "p")
        for count in [100_000, 4_093, 4_092] {
            log.write(String(repeating: "x", count: count))
            let line = String(decoding: try System.read(pipe.first.raw, upTo: 100_000), as: UTF8.self)
            #expect(line.utf8.count == 4_096)
            #expect(line.hasSuffix(count > 4_092 ? "x…\n" : "xx\n"))
        }
        log.write(String(repeating: "é", count: 3_000))
        let line = try System.read(pipe.first.raw, upTo: 100_000)
        #expect(String(validating: line, as: UTF8.self)?.hasSuffix("é…\n") == true)
        LogStream(-1, program: "p").write("nothing")
    }

    @Test("Many refused connections cause one line in ten seconds, with their number")
    func refusals() {
        var log = PeerLog()
        #expect(log.line("no room", process: 0, at: 50) == "no room")
        for time in 51..<10_050 { #expect(log.line("no room", process: 0, at: UInt64(time)) == nil) }
        #expect(log.line("a stranger", process: 0, at: 10_050) == "a stranger (9999 more since the previous line)")
        #expect(log.line("no room", process: 0, at: 20_050) == "no room")
    }

    @Test("The line of a process that is refused repeatedly does not hide the line of another process")
    func perProcess() {
        var log = PeerLog()
        #expect(log.line("a", process: 1, at: 0) == "a")
        for _ in 0..<100 { #expect(log.line("a", process: 1, at: 1) == nil) }
        #expect(log.line("b", process: 2, at: 1) == "b")
        #expect(log.line("a", process: 1, at: 10_000) == "a (100 more since the previous line)")
    }

    @Test("Many processes together get a bounded number of lines, and all events are counted")
    func manyProcesses() {
        var log = PeerLog()
        let lines = (1...1_000).compactMap { log.line("\($0)", process: UInt32($0), at: 0) }
        #expect(lines.count == PeerLog.capacity + 1)
        #expect(log.line("1", process: 1, at: 1) == nil)
        // The table has room again, and the counts of dropped entries are not lost.
        #expect(log.line("new", process: 2_000, at: 10_000) == "new")
        #expect(log.line("unknown", process: 0, at: 10_000) == "unknown (984 more since the previous line)")
    }

    @Test("The limits fit the number of descriptors of the process", arguments: [0, 64, 100, 1_024, 20_000, 1 << 40])
    func descriptors(_ count: UInt64) {
        var limits = BrokerLimits()
        limits.fit(descriptors: count)
        // Each connection may have two descriptors that wait for the rest of a frame. In addition, as many descriptors
        // as may be passed can be unclosed. Beside a kept representation, the file of its board may be open.
        let most = 2 * limits.keptRepresentations + 2 * limits.passedDescriptors + 3 * limits.connections
        #expect(most <= max(count, 96) - 64)
        #expect(limits.connections > 0 && limits.keptRepresentations > 0 && limits.passedDescriptors > 0)
        if count > 100_000 { #expect(limits == BrokerLimits()) }
    }

    @Test(
        "The pools fit the memory of the process",
        arguments: [nil, 0, 24 << 20, 40 << 20, 1 << 30, .max] as [UInt64?]
    )
    func memory(_ limit: UInt64?) {
        for (space, group) in [(limit, nil), (nil, limit), (limit, limit)] as [(UInt64?, UInt64?)] {
            var limits = BrokerLimits()
            limits.fit(addressSpace: space, group: group)
            let heap = limits.controlPool + limits.transferPool + limits.metadata
            if let space { #expect(heap <= max(3 << 20, space / 2)) }
            if let group { #expect(heap <= max(3 << 20, group / 4) && limits.keptPool <= group / 4) }
            if limit ?? .max > 1 << 40 { #expect(limits == BrokerLimits()) }
        }
    }
}
