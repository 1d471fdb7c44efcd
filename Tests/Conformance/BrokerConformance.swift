import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// Plays the exchanges against a broker.
struct BrokerConformance {
    let path: String
    /// The time for each answer.
    let milliseconds: Int
    /// The selected rules.
    let rules: [String]

    /// The exchanges. The first one only connects, and all others need that.
    static func vectors() throws -> [Vector] {
        try ExchangeFile.broker() + VectorFile.frames().vectors.compactMap(\.exchange)
    }

    func report() throws -> RuleReport {
        if let reason = unreachable() {
            throw ConformanceError(exitCode: 3, text: "no broker listens at \(path.visible): \(reason)")
        }
        var report = RuleReport(rules)
        var stop: String?
        for (index, vector) in try Self.vectors().enumerated() {
            guard index == 0 || !Set(rules).isDisjoint(with: vector.rules) else { continue }
            if vector.isInternal {
                report.omit(vector.rules, "what needs the clock, limits or processes of the broker")
                continue
            }
            if let stop {
                report.omit(vector.rules, stop)
                continue
            }
            if play(vector, &report) { continue }
            if let reason = unreachable() {
                stop = "the broker has ended: \(reason)"
            } else if index == 0 {
                stop = "a client cannot connect"
            }
        }
        if stop == nil { clearBoards() }
        return report
    }

    /// Plays one exchange. Returns whether it went as shown.
    private func play(_ vector: Vector, _ report: inout RuleReport) -> Bool {
        let peers = SocketPeers(path: path, milliseconds: milliseconds)
        // The next exchange uses the same board and destination, which the broker releases with the connections.
        defer { peers.closeAll() }
        var player = ExchangePlayer(peers)
        defer {
            for broken in player.broken { report.fail(vector, broken.rule, broken.text) }
            report.pass(player.judged.subtracting(player.broken.map(\.rule)))
        }
        do throws(ExchangeFault) {
            try player.play(vector)
            report.pass(vector.rules)
            return true
        } catch {
            let step =
                error.step.map { "step \($0.number)\($0.line > 0 ? " (line \($0.line))" : ""): " } ?? "at the end: "
            if let rule = error.rule {
                report.fail(vector, rule, step + error.text)
            } else {
                report.fail(vector, step + error.text, transcript: player.transcript)
            }
            return false
        }
    }

    /// The reason why no connection is possible, if that is so.
    private func unreachable() -> String? {
        do throws(SystemError) {
            _ = try Socket.connect(path: path, deadline: MonotonicClock.deadline(milliseconds: milliseconds))
            return nil
        } catch {
            return error.reason
        }
    }

    /// Removes what the exchanges have left on their boards. A broker that cannot do that has failed in them.
    private func clearBoards() {
        var encoder = FrameMemory()
        encoder.append(Hello(), stream: 0)
        for (index, board) in ["general", "conformance"].enumerated() {
            var clear = Clear()
            clear.board = board
            encoder.append(clear, stream: UInt64(2 * index + 1))
        }
        let peers = SocketPeers(path: path, milliseconds: milliseconds)
        try? peers.send(encoder.bytes, passing: nil, from: "client")
        // The broker processes all frames before it ends the connection.
        peers.closeAll()
    }
}
