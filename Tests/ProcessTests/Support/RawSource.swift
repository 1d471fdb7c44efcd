import PasteboardTransport
import PasteboardWire
import TestSupport

/// A source that sends single bytes, so that it can stop after any of them.
struct RawSource {
    let peer: ScriptedPeer

    /// Promises one representation on a board.
    init(at desk: Desk, board: String = "general", type: String = "public.data", byteCount: UInt64? = nil) throws {
        let deadline = MonotonicClock.deadline(milliseconds: ScriptedPeer.watchdog)
        peer = ScriptedPeer(try Socket.connect(path: desk.socket, deadline: deadline))
        var hello = Hello()
        hello.minimumVersion = 1
        hello.maximumVersion = 1
        hello.label = "raw"
        try peer.send(hello, stream: 0)
        var write = Write()
        write.board = board
        try peer.send(write, stream: 1)
        var representation = Representation()
        representation.type = type
        representation.byteCount = byteCount
        var item = Item()
        item.representations = [representation]
        try peer.send(item, stream: 1)
        try peer.send(Commit(), stream: 1)
        _ = try peer.next(.committed)
    }

    /// Waits until it is asked, and returns the stream.
    func asked() throws -> UInt64 {
        try peer.next(.ask).stream
    }

    /// Waits until it is asked, and announces an archive of a folder. Returns the stream.
    func askedForArchive() throws -> UInt64 {
        let ask = try asked()
        var answer = Answer()
        answer.content = .folderArchive
        try peer.send(answer, stream: ask)
        return ask
    }

    /// Sends the header of a data frame, and only a part of the announced bytes.
    func sendPart(_ bytes: [UInt8], of announced: Int, on stream: UInt64) throws {
        var encoder = FrameEncoder()
        encoder.append(header: FrameHeader(.data, stream: stream, length: announced))
        try peer.write(encoder.bytes + bytes)
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
        let status = try run("status").text
        let digits = status.drop { $0 != "," }.drop { !$0.isNumber }.prefix { $0.isNumber }
        return Int32(digits) ?? -1
    }
}
