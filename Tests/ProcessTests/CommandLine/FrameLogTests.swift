import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `PASTEBOARD_DEBUG=frames` in a broker.
@Suite(.processes) struct FrameLogTests {
    @Test("A broker logs the frames of all clients by their processes, and what it does not accept")
    func broker() throws {
        let desk = try Desk(.socket)
        let plain = desk.environment
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let broker = try desk.serve()
        desk.environment = plain
        let offer = try desk.offer(["-t", "text=echo hidden words"])
        #expect(try desk.run("paste").text == "hidden words\n")
        try desk.copy("hidden too")
        #expect(try desk.run("paste").text == "hidden too")
        _ = try offer.finish()
        let path = try #require(plain["PASTEBOARD_SOCKET"])
        let stranger = ScriptedPeer(try Socket.connect(path: path, deadline: .max))
        try stranger.write([UInt8](repeating: 0xEE, count: 40))
        #expect(try stranger.next().kind == .error)
        #expect(try desk.run("stop").exitCode == 0)
        let log = try broker.finish().errorText
        let prefix = "pasteboard: broker: "
        let text = log.split(separator: "\n").filter { $0.hasPrefix("\(prefix)[") }
            .map { $0.dropFirst(prefix.count) }.joined(separator: "\n")
        let lines = TraceLines(text)
        #expect(lines.others.isEmpty)
        let source = lines.lines.filter { $0.hasPrefix("\(offer.child.id).") }.joined(separator: "\n")
        #expect(source.contains(" <- ask #") && source.contains(" -> end #") && source.contains(" -> write #"))
        #expect(lines.kinds("<-").filter { $0 == "data" }.count == 2)
        #expect(lines.dataBytes("<-") == 23)
        let own = lines.lines.filter { $0.hasPrefix("\(System.processID).") }
        #expect(own.contains { $0.contains(" -> not accepted: ") } && own.contains { $0.contains(" <- error #0 ") })
        #expect(!log.contains("hidden"))
    }
}

/// The lines of a trace, without their times.
struct TraceLines {
    /// The lines in the form `-> load #1 board: "general"`, with the peer in front if there is one.
    private(set) var lines: [String] = []
    /// The lines of other programs.
    private(set) var others: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let end = line.firstIndex(of: "]"), line.first == "[", Self.isTime(line[..<end].dropFirst()) else {
                others.append(String(line))
                continue
            }
            lines.append(String(line[end...].dropFirst(2)))
        }
    }

    /// Whether the text is milliseconds, padded to seven columns, and three digits.
    private static func isTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".")
        return parts.count == 2 && parts[0].count >= 7 && UInt32(parts[0].drop { $0 == " " }) != nil
            && parts[1].count == 3 && UInt32(parts[1]) != nil
    }

    /// The frames in one direction: the words before its sign are dropped.
    func frames(_ direction: String) -> [[Substring]] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.prefix(2).firstIndex(of: Substring(direction)) else { return nil }
            return Array(words[(index + 1)...])
        }
    }

    func kinds(_ direction: String) -> [String] {
        frames(direction).compactMap { $0.first.map(String.init) }
    }

    /// The number of bytes in all frames of data.
    func dataBytes(_ direction: String) -> Int {
        frames(direction).filter { $0.first == "data" }.reduce(0) { $0 + ($1.count > 2 ? Int($1[2]) ?? 0 : 0) }
    }
}
