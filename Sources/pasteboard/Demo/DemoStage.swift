import Glibc
import PasteboardTransport
import PasteboardWire

/// A temporary directory for a private broker, and the processes of the demo. When this object is released, the
/// processes are ended and the directory is removed.
final class DemoStage {
    /// The timeout for a line, in milliseconds.
    static let timeout = 10_000

    var socket: String { directory.socket }
    private let directory: PrivateDirectory
    private let program: String
    private var players: [DemoPlayer] = []

    init() throws {
        program = try System.programPath()
        directory = try PrivateDirectory("demo")
    }

    deinit {
        for player in players.reversed() { player.end() }
    }

    /// Starts this program in one of the roles. For the broker, waits until clients can connect.
    func start(_ role: String) throws -> DemoPlayer {
        let others = System.environment().filter { !$0.hasPrefix("PASTEBOARD_") }
        let environment = others + ["PASTEBOARD_SOCKET=\(socket)", "PASTEBOARD_AUTOSTART=0"]
        let isBroker = role == "broker"
        let arguments = isBroker ? [role, "--ready-fd", "3"] : [role]
        let player = try DemoPlayer(program, arguments, environment, isBroker: isBroker)
        players.append(player)
        return player
    }
}

/// One process of the demo. It reads commands and prints reports, one per line.
final class DemoPlayer {
    let process: ChildProcess
    private let input: OwnedDescriptor
    private let output: OwnedDescriptor
    private var buffer: [UInt8] = []

    init(_ program: String, _ arguments: [String], _ environment: [String], isBroker: Bool) throws {
        let toChild = try System.pipe()
        let fromChild = try System.pipe()
        var configuration = ChildProcess.Configuration(path: program, arguments: arguments, environment: environment)
        configuration.input = .descriptor(toChild.first.raw)
        // The broker prints a single line, on descriptor 3, when it is ready.
        configuration.output = isBroker ? .null : .descriptor(fromChild.second.raw)
        configuration.errors = .null
        if isBroker { configuration.descriptors = [fromChild.second.raw] }
        process = try ChildProcess(configuration)
        // Each process keeps only its own ends of the pipes, so that the end of the other one is noticed.
        input = toChild.keepingSecond()
        output = fromChild.keepingFirst()
        if isBroker { _ = try bytes() }
    }

    /// Whether it has printed something that was not read yet.
    var hasLine: Bool {
        !buffer.isEmpty || (try? isReadable(within: 0)) == true
    }

    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            buffer += try bytes()
        }
    }

    func command(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: input.raw)
    }

    func end() {
        try? process.kill(SIGTERM)
        if (try? process.wait(milliseconds: DemoStage.timeout)) == .some(nil) { try? process.kill(SIGKILL) }
    }

    private func bytes() throws -> [UInt8] {
        guard try isReadable(within: DemoStage.timeout) else {
            throw CommandFailure(Failure(.timeout, "process \(process.id) of the demo did not respond"))
        }
        let bytes = try System.read(output.raw, upTo: 4096)
        guard !bytes.isEmpty else {
            throw CommandFailure(Failure(.sourceGone, "process \(process.id) of the demo has ended"))
        }
        return bytes
    }

    private func isReadable(within milliseconds: Int) throws -> Bool {
        let ready = try System.poll([PollInterest(output.raw, .readable)], milliseconds: milliseconds)
        return !(ready.first?.isEmpty ?? true)
    }
}
