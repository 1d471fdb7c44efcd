import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Connections of the blocking client.
enum CoreConnection {
    static func open(_ socket: String) throws -> BlockingConnection {
        let deadline = MonotonicClock.deadline(milliseconds: 5_000)
        return BlockingConnection(adopting: try Socket.connect(path: socket, deadline: deadline), path: socket)
    }

    /// An item with one type.
    static func item(_ source: ByteSource) -> WriteItem {
        var representation = Representation()
        representation.type = "public.data"
        return WriteItem(representations: [(representation: representation, source: source)])
    }

    /// Lets the broker keep bytes, as `pasteboard copy` does.
    static func keep(_ socket: String, bytes: Int) throws {
        let connection = try open(socket)
        _ = try connection.write(Write(), items: [item(.bytes([UInt8](repeating: 7, count: bytes)))])
        try Role.ready()
        while true { pause() }
    }
}
