import BrokerLoop
import BrokerState
import CBenchFloor
import PasteboardTransport

/// The processes of a trial: this program, started once more with a part to play.
enum Role {
    static func play(_ arguments: [String]) throws {
        let name = arguments.first ?? ""
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard arguments.count > 1 else { throw BenchError("a role needs a socket") }
        let socket = arguments[1]
        let shape = arguments.dropFirst(2).first.flatMap(BenchCase.Shape.init(rawValue:))
        switch (name, shape, numbers.count) {
        case ("relay", _, _):
            let listener = floor_listen(socket)
            try self.ready()
            floor_relay(listener)
        case ("broker", _, _):
            let loop = try BrokerLoop(state: try BrokerDaemon.state(.standard)) { _ in }
            try loop.add(ListeningDoor(claiming: SocketPlace(socket: socket)))
            try self.ready()
            try loop.run()
        case ("floor-source", _, 1):
            let connection = floor_connect(socket)
            try self.ready()
            floor_serve(connection)
        case ("core-source", _, 1):
            try CoreSource(socket, bytes: numbers[0]).run()
        case ("library-source", _, 1):
            try LibraryRole.source(socket, bytes: numbers[0])
        case ("floor-destination", let shape?, 2):
            try self.report(FloorDestination(socket).measure(shape, count: numbers[0], bytes: numbers[1]))
        case ("core-destination", let shape?, 2):
            try self.report(try CoreDestination(socket).measure(shape, count: numbers[0], bytes: numbers[1]))
        case ("library-destination", let shape?, 2):
            try LibraryRole.destination(socket, shape, count: numbers[0], bytes: numbers[1])
        default:
            throw BenchError("there is no role '\(arguments.joined(separator: " "))'")
        }
    }

    static func ready() throws {
        try System.write(Array("ready\n".utf8).span, to: 1)
    }

    /// The median and the 99th of a hundred of single times; a single time is both.
    static func report(_ times: [UInt64]) throws {
        let sorted = times.sorted()
        let line = "\(sorted[sorted.count / 2]) \(sorted[sorted.count * 99 / 100])\n"
        try System.write(Array(line.utf8).span, to: 1)
    }
}

/// The floor's destination.
struct FloorDestination {
    private let connection: CInt

    init(_ socket: String) {
        self.connection = floor_connect(socket)
    }

    func measure(_ shape: BenchCase.Shape, count: Int, bytes: Int) -> [UInt64] {
        switch shape {
        case .each:
            var times = [UInt64](repeating: 0, count: count)
            floor_load_each(self.connection, count / 10, UInt64(bytes), &times)
            floor_load_each(self.connection, count, UInt64(bytes), &times)
            return times
        case .pipelined:
            floor_load_pipelined(self.connection, count / 10, UInt64(bytes), 64)
            let start = MonotonicClock.now()
            floor_load_pipelined(self.connection, count, UInt64(bytes), 64)
            return [MonotonicClock.now() - start]
        case .bulk:
            let start = MonotonicClock.now()
            floor_load_pipelined(self.connection, count, UInt64(bytes), 1)
            return [MonotonicClock.now() - start]
        }
    }
}
