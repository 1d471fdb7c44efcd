import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// Plays the exchanges against a broker.
struct BrokerConformance {
    /// After so many exchanges without an answer the broker is not asked for more.
    private static let maximumSilences = 3

    let path: String
    /// The time for each answer.
    let milliseconds: Int

    func report() throws -> RuleReport {
        try checkBroker()
        var report = RuleReport()
        var silences = 0
        let vectors = try VectorFile.transcripts().vectors + VectorFile.broker().vectors
        for vector in try vectors + VectorFile.frames().vectors.compactMap(\.exchange) {
            guard silences < Self.maximumSilences else {
                report.omit(vector.rules, "the broker has not answered \(Self.maximumSilences) times")
                continue
            }
            let peers = SocketPeers(path: path, milliseconds: milliseconds)
            var isSilent = false
            do throws(ExchangeFault) {
                var player = ExchangePlayer(peers)
                try player.play(vector)
                report.pass(vector.rules)
            } catch {
                isSilent = error.isSilence
                report.fail(vector.rules, "\(vector.title): \(error.text)")
            }
            // The next exchange uses the same board and destination, which the broker releases with the connections.
            if !peers.closeAll() || isSilent { silences += 1 }
        }
        if silences < Self.maximumSilences { clearBoards() }
        return report
    }

    /// Throws if there is no broker.
    private func checkBroker() throws(CommandFailure) {
        do throws(SystemError) {
            _ = try Socket.connect(path: path, deadline: MonotonicClock.deadline(milliseconds: milliseconds))
        } catch {
            throw CommandFailure(exitCode: 3, "no broker listens at \(path): \(error.reason)")
        }
    }

    /// Removes what the exchanges have left on their boards. A broker that cannot do that has failed in them.
    private func clearBoards() {
        var encoder = FrameEncoder()
        encoder.append(Hello(), stream: 0)
        for (index, board) in ["general", "conformance"].enumerated() {
            var clear = Clear()
            clear.board = board
            encoder.append(clear, stream: UInt64(2 * index + 1))
        }
        let peers = SocketPeers(path: path, milliseconds: milliseconds)
        try? peers.send(encoder.bytes, passesFile: false, from: "client")
        // It processes all frames before it ends the connection.
        peers.closeAll()
    }
}
