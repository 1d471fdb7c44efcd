import BrokerLoop
import BrokerState
import CBenchFloor
import Glibc
import PasteboardTransport

/// The processes of a case: this program runs itself in one of these roles.
enum Role {
    static func play(_ arguments: [String]) throws {
        bench_die_with_parent()
        let part = try Part(arguments)
        switch part.name {
        case "broker": try serve(part.socket)
        case "relay":
            let listener = floor_listen(part.socket)
            try ready()
            floor_relay(listener)
        case "relay-many":
            let listener = floor_listen(part.socket)
            try ready()
            floor_relay_many(listener)
        case "relay-descriptors":
            let listener = floor_listen(part.socket)
            try ready()
            floor_relay_descriptors(listener)
        case "floor-file-source": try FileSource.floor(part)
        case "core-file-source": try FileSource.core(part)
        case "floor-file-destination": try FileDestination(part).floor(part.socket)
        case "core-file-destination": try FileDestination(part).core(part.socket)
        case "library-file-destination": try LibraryRole.fileDestination(part)
        case "floor-source":
            let connection = floor_connect(part.socket)
            try ready()
            floor_serve(connection)
        case "core-source":
            var source = try CoreSource(part.socket, bytes: try part.number(0))
            try source.run()
        case "library-source": try LibraryRole.source(part.socket, bytes: try part.number(0))
        case "keeper": try CoreConnection.keep(part.socket, bytes: try part.number(0))
        case "floor-silent-source":
            let connection = floor_connect(part.socket)
            try ready()
            floor_await_request(connection)
            try say("asked")
            while true { pause() }
        case "silent-source": try Holders.silence(part.socket)
        case "hold-connections": try Holders.connections(part.socket, try part.number(0))
        case "hold-watches": try Holders.watches(part.socket, try part.number(0))
        case "hold-promises": try Holders.promises(part.socket, try part.number(0))
        case "floor-destination": try report(FloorDestination(part.socket, try DestinationWork(part)).measure())
        case "core-destination": try report(try CoreDestination(part.socket, try DestinationWork(part)).measure())
        case "library-destination": try LibraryRole.destination(part.socket, try DestinationWork(part))
        case "library-executor-destination":
            try LibraryRole.destination(part.socket, try DestinationWork(part), onExecutor: true)
        default: throw BenchError("unknown role '\(part.name)'")
        }
    }

    private static func serve(_ socket: String) throws {
        var loop = try BrokerLoop(state: try BrokerServer.state(.standard)) { _ in }
        try loop.add(ListenerSource(claiming: SocketPath(socket)))
        try ready()
        try loop.run()
    }

    static func ready() throws {
        try say("ready")
    }

    static func say(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: 1)
    }

    static func report(_ measurement: Measurement) throws {
        try say(measurement.numbers.map { "\($0)" }.joined(separator: " "))
    }
}

/// The name of a role, the path of its socket, and its other arguments.
struct Part {
    let name: String
    let socket: String
    private let rest: ArraySlice<String>

    init(_ arguments: [String]) throws {
        guard arguments.count >= 2 else { throw BenchError("a role needs a socket") }
        name = arguments[0]
        socket = arguments[1]
        rest = arguments[2...]
    }

    func word(_ index: Int) throws -> String {
        guard let word = rest.dropFirst(index).first else { throw BenchError("\(name) needs more arguments") }
        return word
    }

    func number(_ index: Int) throws -> Int {
        guard let number = Int(try word(index)) else { throw BenchError("\(name) needs numbers") }
        return number
    }
}
