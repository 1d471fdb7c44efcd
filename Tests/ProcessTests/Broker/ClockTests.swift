import PasteboardTransport
import TestSupport
import Testing

/// A broker whose clocks differ from those of its clients, as after the machine was suspended or restored.
@Suite(.processes) struct ClockTests {
    @Test(
        "A broker and a source whose monotonic clocks are years ahead or nearly at zero serve, and deadlines end loads",
        .tags(.f77),
        .enabled(if: System.userID == 0, "needs root, which alone can create a time namespace"),
        arguments: ["$((1 << 31))", "-${seconds%.*}"]
    )
    func offsets(seconds: String) throws {
        // The offset of the clock that counts suspended time differs by another day.
        let shell = """
            read seconds rest </proc/uptime
            offset=\(seconds)
            exec unshare --time --monotonic $offset --boottime $((offset + 86400)) "$0" "$@" --ready-fd 4 4>&1
            """
        let broker = try BrokerProcess(at: try BrokerPlace(), after: shell)
        try broker.expectService()
        let silent = try broker.source("first-byte=2000")
        #expect(try broker.destination().outcome() == "failed source-stalled")
        try silent.end()
        try broker.expectService()
        try broker.end()
        // A successor without the offset takes over, although its first change count is lower.
        let successor = try BrokerProcess(at: broker.place)
        try successor.expectService()
        try successor.end()
    }
}
