import PasteboardTransport
import PasteboardWire
import TestSupport

/// A destination that grants an exact credit.
struct RawDestination {
    private let peer: ScriptedPeer

    /// Begins a load of the general pasteboard.
    init(at desk: Desk, credit: UInt64) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ScriptedPeer.watchdog)
        peer = ScriptedPeer(try Socket.connect(path: desk.socket, deadline: deadline))
        var hello = Hello()
        hello.minimumVersion = 1
        hello.maximumVersion = 1
        try peer.send(hello, stream: 0)
        var load = Load()
        load.credit = credit
        try peer.send(load, stream: 1)
    }

    /// Waits for the end of the load, and returns the number of its bytes.
    func end() throws -> Int {
        var count = 0
        while true {
            let frame = try peer.next()
            guard frame.stream == 1 else { continue }
            if frame.kind == .data { count += frame.payload.count }
            if frame.kind == .end || frame.header.flags.contains(.last) { return count }
        }
    }
}
