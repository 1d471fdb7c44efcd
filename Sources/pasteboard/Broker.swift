import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The connection of a command to this user's broker.
enum Broker {
    private static func hello(streams: UInt32? = nil) -> Hello {
        var hello = Hello()
        hello.label = "pasteboard"
        hello.programVersion = ProgramVersion.current
        hello.maximumStreams = streams
        return hello
    }

    /// For what gives something: starts a broker where there is none.
    static func startingOne(streams: UInt32? = nil) throws -> BlockingConnection {
        try BlockingConnection(through: try BrokerConnector(), hello: self.hello(streams: streams))
    }

    /// For what only looks: nil where no broker runs, which would hold nothing anyway.
    static func running(streams: UInt32? = nil) throws -> BlockingConnection? {
        let connector = try BrokerConnector()
        guard let socket = try connector.connectIfServed() else { return nil }
        return BlockingConnection(adopting: socket, path: connector.place.socket, hello: self.hello(streams: streams))
    }

    /// For what is about the broker itself.
    static func required() throws -> BlockingConnection {
        guard let connection = try self.running() else {
            throw Failure(
                .brokerUnavailable,
                "no broker is running at \(try BrokerConnector().place.socket); copy, offer and drop start one"
            )
        }
        return connection
    }

    static func nothing(on board: String) -> Failure {
        Failure(.nothingHere, "pasteboard \(board) is empty")
    }
}
