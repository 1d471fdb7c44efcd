import BlockingClient
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

    /// A load of that type.
    static func load() -> Load {
        var accept = Accept()
        accept.type = "public.data"
        var load = Load()
        load.accepts = [accept]
        return load
    }
}

/// Processes for which the broker holds something until they are killed. They send nothing more.
enum Holder {
    static func hold(_ connections: some Any) throws -> Never {
        try Role.say("ready")
        while true { withExtendedLifetime(connections) { _ = pause() } }
    }

    /// Contents on the general board: kept by the broker, as after `pasteboard copy`, or promised.
    static func keep(_ source: ByteSource, _ socket: String) throws -> Never {
        let connection = try CoreConnection.open(socket)
        _ = try connection.write(Write(), items: [CoreConnection.item(source)])
        try hold(connection)
    }

    /// Connections that have sent hello and nothing else.
    static func connections(_ count: Int, _ socket: String) throws -> Never {
        _ = System.raiseDescriptorLimit()
        let connections = try (0..<count).map { _ in
            let connection = try CoreConnection.open(socket)
            _ = try connection.welcome()
            return connection
        }
        try hold(connections)
    }
}
