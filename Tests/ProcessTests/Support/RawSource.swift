import PasteboardTransport
import PasteboardWire
import TestSupport

/// A source whose frames a test sends.
struct RawSource {
    let peer: ScriptedPeer

    /// Promises one representation on the general pasteboard.
    init(at desk: Desk, type: String) throws {
        peer = try ScriptedPeer(greeting: desk, label: "raw")
        try peer.send(Write(), stream: 1)
        var representation = Representation()
        representation.type = type
        var item = Item()
        item.representations = [representation]
        try peer.send(item, stream: 1)
        try peer.send(Commit(), stream: 1)
        _ = try peer.next(.committed)
    }

    /// Waits until it is asked, and announces an archive of a folder. Returns the stream.
    func askedForArchive() throws -> UInt64 {
        let ask = try peer.next(.ask).stream
        var answer = Answer()
        answer.content = .folderArchive
        try peer.send(answer, stream: ask)
        return ask
    }
}

extension Desk {
    /// The path of this desk's socket.
    var socket: String {
        environment["PASTEBOARD_SOCKET"] ?? "\(environment["XDG_RUNTIME_DIR"] ?? "")/pasteboard/socket"
    }

    /// Starts a broker by an otherwise unused copy, and returns its process id.
    func startBroker() throws -> Int32 {
        try copy("nothing", "--board", "start")
        return try brokerProcess()
    }
}
