import Glibc
import PasteboardTransport
import PasteboardWire

/// A temporary directory for a private broker, and the processes of the demo. All are removed with this value.
final class DemoStage {
    /// The timeout for a line, in milliseconds.
    static let patience = 10_000

    let socket: String
    private let directory: String
    private let program: String
    private var players: [DemoPlayer] = []

    init() throws {
        let base = System.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let name = try System.randomBytes(6).map { String($0, radix: 16) }.joined()
        self.directory = "\(base)/pasteboard-demo-\(name)"
        self.socket = "\(self.directory)/socket"
        self.program = try System.programPath()
        try System.makeDirectory(self.directory)
    }

    deinit {
        for player in self.players.reversed() { player.end() }
        for file in ["socket", "socket.lock", "start.lock"] { try? System.unlink("\(self.directory)/\(file)") }
        try? System.removeDirectory(self.directory)
    }

    /// Starts this program in one of the roles. For the broker, waits until clients can connect.
    func start(_ role: String) throws -> DemoPlayer {
        let others = System.environment().filter { !$0.hasPrefix("PASTEBOARD_") }
        let environment = others + ["PASTEBOARD_SOCKET=\(self.socket)", "PASTEBOARD_AUTOSTART=0"]
        let isBroker = role == "broker"
        let arguments = isBroker ? [role, "--ready-fd", "3"] : [role]
        let player = try DemoPlayer(self.program, arguments, environment, isBroker: isBroker)
        self.players.append(player)
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
        // The broker's readiness is its only line: it comes on descriptor 3.
        configuration.output = isBroker ? .null : .descriptor(fromChild.second.raw)
        configuration.errors = .null
        if isBroker { configuration.descriptors = [fromChild.second.raw] }
        self.process = try ChildProcess(configuration)
        // Each process keeps only its own ends of the pipes, so that the end of the other one is noticed.
        self.input = toChild.keepingSecond()
        self.output = fromChild.keepingFirst()
        if isBroker { _ = try self.bytes() }
    }

    /// Whether it has printed something that was not read yet.
    var hasLine: Bool {
        !self.buffer.isEmpty || (try? self.isReadable(within: 0)) == true
    }

    func line() throws -> String {
        while true {
            if let end = self.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { self.buffer.removeFirst(end + 1) }
                return String(decoding: self.buffer[..<end], as: UTF8.self)
            }
            self.buffer += try self.bytes()
        }
    }

    func command(_ line: String) throws {
        try System.write(Array("\(line)\n".utf8).span, to: self.input.raw)
    }

    func end() {
        try? self.process.kill(SIGTERM)
        if (try? self.process.wait(milliseconds: DemoStage.patience)) == .some(nil) { try? self.process.kill(SIGKILL) }
    }

    private func bytes() throws -> [UInt8] {
        guard try self.isReadable(within: DemoStage.patience) else {
            throw CommandFailure(Failure(.timeout, "process \(self.process.id) of the demo did not respond"))
        }
        let bytes = try System.read(self.output.raw, upTo: 4096)
        guard !bytes.isEmpty else {
            throw CommandFailure(Failure(.sourceGone, "process \(self.process.id) of the demo has ended"))
        }
        return bytes
    }

    private func isReadable(within milliseconds: Int) throws -> Bool {
        let ready = try System.poll([PollInterest(self.output.raw, .readable)], milliseconds: milliseconds)
        return !(ready.first?.isEmpty ?? true)
    }
}
