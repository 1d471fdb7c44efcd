import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A broker that a test writes: it answers each frame of the library as the test says, on a thread of its own.
final class ScriptedBroker: Sendable {
    typealias Answer = @Sendable (ScriptedPeer, ScriptedPeer.Frame) throws -> Void

    private let welcome: Welcome?
    private let answer: Answer

    /// - Parameters:
    ///   - welcome: the answer to hello; nil for none.
    ///   - answer: it may throw, or send until that fails: then the connection is over.
    init(welcome: Welcome? = .standard(), _ answer: @escaping Answer) {
        // A write to a connection that the library has closed must fail only the write.
        System.ignoreBrokenPipes()
        self.welcome = welcome
        self.answer = answer
    }

    /// A broker that never answers a request, so that only the caller can end a wait.
    static func silent(welcomes: Bool = true) -> ScriptedBroker {
        ScriptedBroker(welcome: welcomes ? .standard() : nil) { _, _ in }
    }

    func connect(timeouts: ConnectionTimeouts = .endless) -> PasteboardConnection {
        PasteboardConnection(timeouts: timeouts) { _ in try self.socket() }
    }

    /// A socket of which this broker serves the other end.
    func socket() throws -> BrokerSocket {
        let pair = try Socket.pair()
        let own = try System.duplicate(pair.first.raw)
        let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
        try SystemThread(name: "scripted broker") {
            do {
                _ = try peer.next(.hello)
                if let welcome = self.welcome { try peer.send(welcome, stream: 0) }
                while true { try self.answer(peer, try peer.next()) }
            } catch {
                peer.close()
            }
        }.detach()
        return BrokerSocket(descriptor: own, path: "test")
    }
}

extension ScriptedPeer {
    /// Answers a list: contents 1 of change 41 with one promise of this type, or nothing.
    func list(_ type: String?, on stream: UInt64) throws {
        var contents = Contents()
        (contents.changeCount, contents.epoch, contents.handle) = (41, 7, type == nil ? nil : 1)
        try send(contents, stream: stream)
        if let type {
            var (item, representation) = (Item(), Representation())
            (representation.type, representation.provision) = (type, .promised)
            item.representations = [representation]
            try send(item, stream: stream)
        }
        try send(End(), stream: stream)
    }

    /// Answers a load with all of its bytes.
    func answer(_ type: String, _ bytes: [UInt8], on stream: UInt64) throws {
        var answer = Answer()
        answer.type = type
        try send(answer, stream: stream)
        try sendData(bytes, stream: stream, last: true)
    }
}
