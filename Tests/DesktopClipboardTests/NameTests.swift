import PasteboardWire
import TestSupport
import Testing

@testable import DesktopClipboard

/// Names of displays and of contents.
@Suite(.pure) struct NameTests {
    @Test(
        "A display is one of this machine, or one that ssh forwards",
        arguments: [
            (":0", ":0", false), (":12.1", ":12", false), ("unix:3", ":3", false), (":59535", ":59535", false),
            ("localhost:10.0", "localhost:10", true),
        ]
    )
    func displays(text: String, name: String, isForwarded: Bool) throws {
        let display = try X11DisplayName(text)
        #expect((display.text, display.isForwarded) == (name, isForwarded))
    }

    @Test("Another text is no display", arguments: ["", "0", ":", ":a", ":-1", ":59536", "host:0", ":0:1"])
    func noDisplay(text: String) {
        #expect(throws: Failure.self) { try X11DisplayName(text) }
    }

    @Test("The cookie of a display is found among others, whatever the file contains")
    func cookies() {
        func entry(
            _ display: String,
            _ name: String,
            _ data: [UInt8],
            of host: String = "host",
            family: [UInt8] = [1, 0]
        ) -> [UInt8] {
            let parts = [Array(host.utf8), Array(display.utf8), Array(name.utf8), data]
            return family + parts.flatMap { [0, UInt8($0.count)] + $0 }
        }
        let cookie = "MIT-MAGIC-COOKIE-1"
        let file =
            entry("1", cookie, [1]) + entry("2", "OTHER", [2]) + entry("2", cookie, [9]) + entry("2", cookie, [3])
        #expect(X11Authority.find(in: file, display: 2).data == [3])
        #expect(X11Authority.find(in: file + entry("", cookie, [4]), display: 7).data == [4])
        #expect(X11Authority.find(in: [], display: 0).name.isEmpty)
        // The entry of this machine comes first, then one for any machine, and then that of another one.
        let shared =
            entry("2", cookie, [5], of: "here") + entry("2", cookie, [6], family: [255, 255])
            + entry("2", cookie, [7], of: "there")
        for (host, data) in [("here", UInt8(5)), ("elsewhere", 6), ("there", 7)] {
            #expect(X11Authority.find(in: shared, display: 2, host: Array(host.utf8)).data == [data])
        }
        for count in file.indices { _ = X11Authority.find(in: Array(file.prefix(count)), display: 9) }
        #expect(X11Authority.find(in: [0, 0, 255, 255, 1], display: 0).data.isEmpty)
    }

    @Test("A mark is the origin of contents")
    func marks() {
        func origin(_ moment: UInt64?, _ path: [UInt64]) -> Origin {
            var origin = Origin()
            (origin.milliseconds, origin.path) = (moment, path)
            return origin
        }
        func name(_ text: String) -> String { "application/x-pasteboard-bridge.\(text)" }
        for (text, found) in [
            ("1e.1.ffffffffffffffff", origin(30, [1, .max])), (".1", origin(nil, [1])), ("zz..5", origin(nil, [5])),
        ] { #expect(BridgeMark.origin(in: ["text/plain", name(text)]) == found) }
        for text in ["", "1", "1.zz"] { #expect(BridgeMark.origin(in: [name(text)]) == nil) }
        #expect(BridgeMark.origin(in: ["text/plain"]) == nil)
        #expect(BridgeMark.name(of: origin(30, [1, .max])) == name("1e.1.ffffffffffffffff"))
        #expect(BridgeMark.name(of: origin(nil, [1])) == name(".1"))
        let long = Array(repeating: UInt64(3), count: 100)
        #expect(BridgeMark.origin(in: [BridgeMark.name(of: origin(1, long))])?.path.count == WireLimits.originPath)
    }

    @Test("Contents that have come through a display twice pass it once, and too many places not at all")
    func passing() {
        var origin = Origin(of: 1)
        #expect(origin.passing(1)?.path == [1])
        #expect(origin.passing(2)?.path == [1, 2])
        origin.path = Array(1...14)
        #expect(origin.passing(15)?.path.count == 15)
        origin.path.append(15)
        #expect(origin.passing(16) == nil && origin.passing(3) == origin)
    }

    @Test("At most ten changes cross in a second, and a message says at most once a minute that others wait")
    func rate() {
        let (start, second): (UInt64, UInt64) = (5_000_000_000, 1_000_000_000)
        var rate = ChangeRate()
        for index in 0..<10 {
            #expect(rate.next <= start)
            rate.count(at: start + UInt64(index))
        }
        #expect(rate.next == start + second)
        rate.count(at: start + second)
        #expect(rate.next == start + 1 + second)
        #expect([0, 59, 60, 61].map { rate.reports(at: start + $0 * second) } == [true, false, true, false])
    }
}
