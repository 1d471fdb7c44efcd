import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport

/// A program that serves a socket.
enum Server: String {
    case floor
    case broker = "pasteboardd"
    case dbus = "dbus-daemon"

    func start(_ socket: String, on stage: Stage) throws -> BenchProcess {
        switch self {
        case .floor: return try stage.startReady("store", "store", socket)
        case .broker: return try stage.startBroker(socket)
        case .dbus:
            let options = ["--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address=3"]
            let command = [try stage.installed(rawValue)] + options + ["--address=unix:path=\(socket)"]
            let process = try BenchProcess(command, on: stage, isQuiet: true)
            try process.awaitOutput()
            return process
        }
    }

    /// Sends a request on a new connection, and waits for the answer.
    func ask(_ socket: String, on stage: Stage) throws {
        guard self != .broker else {
            _ = try CoreConnection.open(socket).welcome()
            return
        }
        let user = Array("\(System.userID)".utf8).map { String($0, radix: 16) }.joined()
        // To the floor: a frame without payload, which requests the stored bytes.
        let request =
            self == .dbus
            ? [0] + Array("AUTH EXTERNAL \(user)\r\n".utf8) : [0, 0, 0, 0, 2, 1] + [UInt8](repeating: 0, count: 10)
        let connection = try Socket.connect(path: socket, deadline: .max)
        try System.write(request.span, to: connection.raw)
        guard try !stage.read(connection.raw).isEmpty else { throw Skip("\(rawValue) does not answer") }
    }
}

extension BenchCase {
    /// The time from the start of a server to its first answer, and its memory at that time.
    static func starts(_ stage: Stage) -> [BenchCase] {
        [Server.broker, .dbus].map { server in
            BenchCase(
                name: "start",
                subject: server.rawValue,
                figures: ["first answer": "ms", "idle RSS": "KiB", "idle PSS": "KiB"],
                measure: { try measureStart(server, stage) },
                floor: { try measureStart(.floor, stage) }
            )
        }
    }

    static func measureStart(_ server: Server, _ stage: Stage) throws -> [Double] {
        let rounds = try (0..<(stage.isQuick ? 1 : 11)).map { _ in
            let socket = try stage.socket()
            let start = MonotonicClock.now()
            let process = try server.start(socket, on: stage)
            defer { process.end() }
            try server.ask(socket, on: stage)
            let time = Double(MonotonicClock.now() - start) / 1e6
            return [time, try memory("Rss", of: process), try memory("Pss", of: process)]
        }
        return (0..<3).map { index in rounds.map { $0[index] }.median }
    }

    /// The growth of the broker's memory for each connection, without the kernel's part. There is no floor, because a
    /// relay would hold nothing.
    static func memory(_ stage: Stage) -> BenchCase {
        BenchCase(
            name: "memory, 1000 idle connections",
            subject: Server.broker.rawValue,
            figures: ["RSS of each": "bytes"],
            measure: { [try growth(stage.isQuick ? 100 : 1_000, stage)] }
        )
    }

    private static func growth(_ count: Int, _ stage: Stage) throws -> Double {
        // The broker reserves three descriptors for each connection, and others for contents and for other processes.
        let (limit, needed) = (System.raiseDescriptorLimit(), 6 * count + 64)
        guard limit >= needed else { throw Skip("needs \(needed) descriptors, but RLIMIT_NOFILE allows \(limit)") }
        let socket = try stage.socket()
        let broker = try stage.startBroker(socket)
        defer { broker.end() }
        // The memory for the first one includes memory that all later ones share.
        try stage.startReady("role", "connections", socket, 1).end()
        let before = try memory("Rss", of: broker)
        let holder = try stage.startReady("role", "connections", socket, count)
        defer { holder.end() }
        return (try memory("Rss", of: broker) - before) * 1024 / Double(count)
    }

    /// The memory of a process in KiB: all of its pages, or its share of each page.
    private static func memory(_ name: String, of process: BenchProcess) throws -> Double {
        guard let contents = try? System.contents(of: "/proc/\(process.id)/smaps_rollup") else {
            throw Skip("only root can read the memory of a broker")
        }
        let lines = String(decoding: contents, as: UTF8.self).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("\(name):") }?.split(separator: " ") ?? []
        guard words.count > 1, let number = Double(words[1]) else { throw Skip("smaps_rollup has no \(name)") }
        return number
    }
}
