import CBenchFloor
import Glibc
import PasteboardClient
import PasteboardTransport

/// A program that serves a socket: the broker, the store of the floor, the daemon of D-Bus.
enum Server: String {
    case broker = "pasteboardd"
    case floor = "C store"
    case dbus = "dbus-daemon"

    /// Starts the server, and returns once it is ready.
    func start(on stage: Stage, _ socket: String) throws -> BenchProcess {
        try start(try command(stage, socket), stage, isQuiet: self == .dbus)
    }

    /// Starts a broker with a keeper, which is the process, and returns once the broker is ready.
    static func startKept(on stage: Stage, _ socket: String) throws -> BenchProcess {
        // It reports each death of its broker.
        try broker.start(try broker.command(stage, socket).filter { $0 != noKeeper }, stage, isQuiet: true)
    }

    /// Without a keeper, the process that was started is the broker.
    private static let noKeeper = "--no-keeper"

    private func start(_ command: [String], _ stage: Stage, isQuiet: Bool) throws -> BenchProcess {
        let process = try BenchProcess(
            command,
            interrupts: stage.interrupts,
            isQuiet: isQuiet
        )
        try process.awaitOutput()
        return process
    }

    /// The command line. Each server reports on descriptor 3 that it is ready.
    private func command(_ stage: Stage, _ socket: String) throws -> [String] {
        switch self {
        case .broker:
            return [try stage.shipped("pasteboardd"), Self.noKeeper, "--socket", socket, "--ready-fd", "3"]
        case .floor:
            return [try stage.floorProgram(), "store", socket, "3"]
        case .dbus:
            return [
                try Programs.installed("dbus-daemon"), "--session", "--nofork", "--nopidfile", "--nosyslog",
                "--print-address=3",
                "--address=unix:path=\(socket)",
            ]
        }
    }

    /// Sends a request on a new connection, and waits for the answer.
    func ask(_ socket: String) throws {
        switch self {
        case .broker:
            _ = try CoreConnection.open(socket).welcome()
        case .floor:
            // A frame without payload requests the stored bytes.
            try exchange(socket, [0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        case .dbus:
            let user = Array("\(System.userID)".utf8).map { String($0, radix: 16) }.joined()
            try exchange(socket, [0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
        }
    }

    private func exchange(_ socket: String, _ bytes: [UInt8]) throws {
        let connection = OwnedDescriptor(adopting: floor_connect(socket))
        try System.write(bytes.span, to: connection.raw)
        guard try !System.read(connection.raw, upTo: 4096).isEmpty else {
            throw BenchError("\(rawValue) does not answer")
        }
    }
}

/// The memory of a process in KiB: all of its pages, and its share of each page.
struct ProcessMemory {
    let resident: Double
    let proportional: Double

    init(of process: pid_t) throws {
        let contents: [UInt8]
        do throws(SystemError) {
            contents = try System.contents(of: "/proc/\(process)/smaps_rollup")
        } catch {
            guard error.errno == EACCES else { throw error }
            throw Skip("a broker closes this file to other programs; only root can read it")
        }
        let text = String(decoding: contents, as: UTF8.self)
        func value(_ name: String) throws -> Double {
            for line in text.split(separator: "\n") where line.hasPrefix("\(name):") {
                if let number = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) { return number }
            }
            throw Skip("/proc/PID/smaps_rollup has no \(name)")
        }
        resident = try value("Rss")
        proportional = try value("Pss")
    }
}
