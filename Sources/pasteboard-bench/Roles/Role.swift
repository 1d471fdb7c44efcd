import BrokerLoop
import BrokerState
import CBenchFloor
import Glibc
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
        case ("floor-destination", let shape?, 3):
            let work = DestinationWork(shape, numbers)
            try self.report(FloorDestination(socket).measure(work))
        case ("core-destination", let shape?, 3):
            let work = DestinationWork(shape, numbers)
            try self.report(CoreDestination(socket).measure(work))
        case ("library-destination", let shape?, 3):
            try LibraryRole.destination(socket, DestinationWork(shape, numbers))
        default:
            throw BenchError("there is no role '\(arguments.joined(separator: " "))'")
        }
    }

    static func ready() throws {
        try System.write(Array("ready\n".utf8).span, to: 1)
    }

    static func report(_ measurement: Measurement) throws {
        try System.write(Array("\(measurement.line)\n".utf8).span, to: 1)
    }
}

/// What a destination does.
struct DestinationWork: Sendable {
    let shape: BenchCase.Shape
    let count: Int
    let bytes: Int
    /// The process whose time counts.
    let relay: pid_t

    init(_ shape: BenchCase.Shape, _ numbers: [Int]) {
        self.shape = shape
        self.count = numbers[0]
        self.bytes = numbers[1]
        self.relay = pid_t(truncatingIfNeeded: numbers[2])
    }

    /// Loads before the measured ones.
    var warmUpCount: Int { self.count / 10 }
}

/// The floor's destination.
struct FloorDestination {
    private let connection: CInt

    init(_ socket: String) {
        self.connection = floor_connect(socket)
    }

    func measure(_ work: DestinationWork) -> Measurement {
        let bytes = UInt64(work.bytes)
        switch work.shape {
        case .each:
            var times = [UInt64](repeating: 0, count: work.count)
            floor_load_each(self.connection, work.warmUpCount, bytes, &times)
            return Measurement(relay: work.relay) {
                floor_load_each(self.connection, work.count, bytes, &times)
                return times
            }
        case .pipelined:
            floor_load_pipelined(self.connection, work.warmUpCount, bytes, 64)
            return Measurement(relay: work.relay) {
                floor_load_pipelined(self.connection, work.count, bytes, 64)
                return []
            }
        case .bulk:
            return Measurement(relay: work.relay) {
                floor_load_pipelined(self.connection, work.count, bytes, 1)
                return []
            }
        }
    }
}
