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

    /// For commands that only look: nil without a broker, because a new one would hold nothing. Where programs start no
    /// broker, its absence is a fault of its service, and not an empty pasteboard.
    static func running(streams: UInt32? = nil) throws -> BlockingConnection? {
        let connector = try BrokerConnector()
        guard let socket = try connector.startsBroker ? connector.connectIfServed() : connector.connect() else {
            return nil
        }
        return BlockingConnection(adopting: socket, path: connector.place.socket, hello: self.hello(streams: streams))
    }

    /// For commands about the broker itself.
    ///
    /// - Parameter hint: what the user can do.
    static func required(hint: String = "; copy, offer and drop start one") throws -> BlockingConnection {
        let connector = try BrokerConnector()
        guard let socket = try connector.connectIfServed() else {
            throw Failure(.brokerUnavailable, "no broker is running at \(connector.place.socket)\(hint)")
        }
        return BlockingConnection(adopting: socket, path: connector.place.socket, hello: self.hello())
    }

    static func nothing(on board: String) -> Failure {
        Failure(.nothingHere, "pasteboard \(board) is empty")
    }
}
