import PasteboardTransport
import PasteboardWire
import TestSupport

/// A destination that sends single frames, with several loads on one connection.
final class RawDestination {
    private let peer: ScriptedPeer
    private var lastStream: UInt64 = 0
    private var received: [UInt64: Int] = [:]
    private var failures: [UInt64: Failure] = [:]
    private var ended: Set<UInt64> = []

    init(at desk: Desk) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ScriptedPeer.watchdog)
        peer = ScriptedPeer(try Socket.connect(path: desk.socket, deadline: deadline))
        var hello = Hello()
        hello.minimumVersion = 1
        hello.maximumVersion = 1
        try peer.send(hello, stream: 0)
    }

    func load(board: String, credit: UInt64 = 1 << 20) throws -> UInt64 {
        lastStream = lastStream == 0 ? 1 : lastStream + 2
        var load = Load()
        load.board = board
        load.credit = credit
        try peer.send(load, stream: lastStream)
        return lastStream
    }

    /// The number of bytes of a load, once there are at least `count`.
    func bytes(of stream: UInt64, atLeast count: Int) throws -> Int {
        while received[stream, default: 0] < count { try hear() }
        return received[stream, default: 0]
    }

    /// Waits for the end of a load, and returns the number of its bytes.
    func end(of stream: UInt64) throws -> Int {
        while !ended.contains(stream) { try hear() }
        return received[stream, default: 0]
    }

    func failure(of stream: UInt64) throws -> Failure {
        while true {
            if let failure = failures[stream] { return failure }
            try hear()
        }
    }

    private func hear() throws {
        let frame = try peer.next()
        switch frame.kind {
        case .data:
            received[frame.stream, default: 0] += frame.payload.count
            if frame.header.flags.contains(.last) { ended.insert(frame.stream) }
        case .end: ended.insert(frame.stream)
        case .error: failures[frame.stream] = try frame.decoded(as: Failure.self)
        default: break
        }
    }
}
