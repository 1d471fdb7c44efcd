import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Repeats requests of one kind as fast as the broker answers them, or holds many connections.
struct Storm {
    static let kinds: [Substring] = ["connections", "connects", "writes", "drags", "cancels"]

    /// The number of loads that are opened before all of them are cancelled.
    private static let loads = 16

    let path: String
    let count: Int

    func run(_ kind: Substring) throws {
        do {
            switch kind {
            case "connections": try holdConnections()
            case "connects": try connects()
            case "writes": try writes()
            case "drags": try drags()
            default: try cancels()
            }
            if kind != "connections" { try TestPeer.say("done \(count)") }
        } catch let failure as Failure {
            try TestPeer.say("failed \(failure)")
        }
    }

    /// Holds connections that have received their welcome, until the end of standard input.
    private func holdConnections() throws {
        System.raiseDescriptorLimit()
        var connections: [DescriptorBox] = []
        for _ in 0..<count {
            let connection = DescriptorBox(try TestPeer.connect(to: path))
            try Self.greet(connection.raw)
            guard try Self.isWelcome(connection.raw) else {
                throw Failure(.limitExceeded, "connection \(connections.count) was refused")
            }
            connections.append(connection)
        }
        try TestPeer.say("done \(count)")
        var orders = Orders()
        try orders.waitForEnd()
        withExtendedLifetime(connections) {}
    }

    /// Connects and disconnects: at once, after the hello, and after the welcome.
    private func connects() throws {
        for number in 0..<count {
            let connection = DescriptorBox(try TestPeer.connect(to: path))
            guard number % 3 > 0 else { continue }
            // The broker may have refused this connection and closed it.
            guard (try? Self.greet(connection.raw)) != nil, number % 3 > 1 else { continue }
            _ = try? Self.isWelcome(connection.raw)
        }
    }

    private static func greet(_ socket: CInt) throws {
        var hello = Hello()
        hello.minimumVersion = 1
        hello.maximumVersion = 1
        hello.label = "storm"
        var encoder = FrameMemory()
        encoder.append(hello, stream: 0)
        try System.write(encoder.bytes.span, to: socket)
    }

    private static func isWelcome(_ socket: CInt) throws -> Bool {
        _ = try System.poll([PollInterest(socket, .readable)], milliseconds: nil)
        let bytes = try System.read(socket, upTo: 4096)
        guard bytes.count >= FrameHeader.byteCount else { return false }
        return FrameHeader(bytes.span, at: 0)?.kind == .welcome
    }

    /// Writes kept and promised contents to a pasteboard in turn, and clears it.
    private func writes() throws {
        let connection = try TestPeer.connection(to: path)
        let board = "storm \(System.processID)"
        for number in 0..<count {
            var write = Write()
            write.board = board
            let source = number % 2 == 0 ? ByteSource.promised : .bytes(Pattern.block)
            _ = try connection.write(write, items: [Self.item(source)])
            guard number % 3 == 0 else { continue }
            var clear = Clear()
            clear.board = board
            _ = try connection.clear(clear)
        }
    }

    /// Begins drag sessions, and cancels them before and after the drop.
    private func drags() throws {
        let connection = try TestPeer.connection(to: path)
        for number in 0..<count {
            let session = try connection.offer(Drag(), items: [Self.item(.promised)]).stream
            if number % 3 > 0 { connection.io.state.begin(session) }
            if number % 3 > 1 { connection.io.state.drop(session) }
            connection.io.state.cancel(session)
            try Self.settle(connection)
        }
    }

    /// Opens loads of its own promise, and cancels them before their answer or at any time after it.
    private func cancels() throws {
        let connection = try TestPeer.connection(to: path)
        var write = Write()
        write.board = "storm \(System.processID)"
        _ = try connection.write(write, items: [Self.item(.promised)])
        for number in 0..<count / Self.loads {
            var load = Load()
            load.board = write.board
            let open = try (0..<Self.loads).map { _ in try connection.io.state.open(load) }
            if number % 2 == 0 { try connection.io.flush() }
            for stream in open { connection.io.state.cancel(stream) }
            try Self.settle(connection)
        }
    }

    /// Waits until the broker has processed all requests, and drops the events that this has caused.
    private static func settle(_ connection: BlockingConnection) throws {
        _ = try connection.listing()
        try connection.turn(until: 0) { _, _, _ in }
    }

    private static func item(_ source: ByteSource) -> WriteItem {
        var representation = Representation()
        representation.type = "public.data"
        return WriteItem(representations: [(representation: representation, source: source)])
    }
}
