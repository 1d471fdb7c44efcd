import PasteboardTransport
import TestSupport

/// A broker that answers each frame by a closure, and can close later connections at once. Its threads wait until the
/// test process ends.
final class WrongBroker: Sendable {
    let path: String
    private let listener: Lock<ListeningSocket>

    init(
        at path: String,
        serving limit: Int = .max,
        _ answer: @escaping @Sendable (ScriptedPeer.Frame, ScriptedPeer) throws -> Void
    ) throws {
        self.path = path
        listener = Lock(try ListeningSocket(path: path))
        let thread = try SystemThread(name: "wrong broker") {
            var count = 0
            while let peer = try? self.accept() {
                count += 1
                guard count <= limit else {
                    peer.close()
                    continue
                }
                let connection = try? SystemThread(name: "its connection") {
                    while let frame = try? peer.next() { try? answer(frame, peer) }
                    peer.close()
                }
                connection?.detach()
            }
        }
        thread.detach()
    }

    private func accept() throws -> ScriptedPeer {
        let raw = listener.withLock { $0.raw }
        while true {
            _ = try System.poll([PollInterest(raw, .readable)], milliseconds: nil)
            let peer = try listener.withLock { listener -> ScriptedPeer? in
                guard case .connection(let descriptor) = try listener.accept() else { return nil }
                return ScriptedPeer(descriptor)
            }
            if let peer { return peer }
        }
    }
}
