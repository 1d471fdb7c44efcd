import CBenchFloor
import FoundationEssentials
import Glibc
import PasteboardTransport

/// The directory, the sockets and the programs of a run. All of its processes share one processor.
final class Stage {
    let isQuick: Bool
    let directory: String
    let pasteboard: String
    private let broker: String
    /// This program, which runs the roles.
    private let program: String
    /// An earlier build of it, whose roles are the floor of loads; nil for the floor in C.
    let earlier: String?
    private let signals: SignalDescriptor
    private var sockets = 0
    /// The clipboards whose servers run, by name.
    private var clipboards: [String: Clipboard] = [:]

    init(_ options: BenchOptions) throws {
        isQuick = options.isQuick
        signals = try SignalDescriptor([SIGINT, SIGTERM])
        guard bench_pin() == 0 else { throw BenchError("cannot choose a processor: error \(errno)") }
        program = try System.programPath()
        let programs = options.programs ?? System.directory(of: program)
        (pasteboard, broker) = ("\(programs)/pasteboard", "\(programs)/pasteboardd")
        earlier = options.earlier.map { "\($0)/pasteboard-bench" }
        for path in [pasteboard, broker, earlier ?? broker] where !System.isExecutable(path) {
            throw BenchError("there is no program \(path); build it, or set --programs")
        }
        directory = "/tmp/pasteboard-bench-\(System.processID)"
        try System.makeDirectory(directory)
        // The configuration of the user must not change the limits of the broker.
        try System.setEnvironment("XDG_CONFIG_HOME", to: directory)
        do {
            for program in ["loads", "store"] { try compileFloor(program) }
        } catch {
            close()
            throw error
        }
    }

    func close() {
        endClipboards()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Compiles a program of the floor. One in Swift would add its slower start.
    private func compileFloor(_ program: String) throws {
        let sources = System.directory(of: System.directory(of: #filePath)) + "/CBenchFloor"
        let options = ["-O2", "-I\(sources)/include", "-o", floor(program)]
        let files = ["\(sources)/process.c", "\(sources)/program/\(program).c"]
        let compiler = ChildProcess.Configuration(path: try installed("cc"), arguments: options + files)
        guard try ChildProcess(compiler).wait() == .exited(0) else {
            throw BenchError("cannot compile the floor in \(sources)")
        }
    }

    func floor(_ program: String) -> String { "\(directory)/\(program)" }

    /// The path for a new socket, in a new directory.
    func socket() throws -> String {
        sockets += 1
        let directory = "\(self.directory)/\(sockets)"
        try System.makeDirectory(directory)
        return "\(directory)/socket"
    }

    /// The path of a program of this machine.
    func installed(_ name: String) throws -> String {
        let paths = System.programDirectories().map { "\($0)/\(name)" }
        guard let path = paths.first(where: { System.isExecutable($0) }) else { throw Skip("\(name) is not installed") }
        return path
    }

    /// Writes a new file.
    func write(_ bytes: [UInt8], to path: String, times: Int = 1) throws {
        let file = try System.open(path, [.writing, .creating, .truncating])
        for _ in 0..<times { try System.write(bytes.span, to: file.raw) }
    }

    // MARK: Waiting

    /// Waits until `output` is readable, and returns whether it is. Throws if the run is interrupted.
    @discardableResult
    func wait(for output: CInt? = nil, milliseconds: Int) throws -> Bool {
        let interests = [PollInterest(signals.raw, .readable)] + (output.map { [PollInterest($0, .readable)] } ?? [])
        let ready = try System.poll(interests, milliseconds: milliseconds)
        guard ready[0].isEmpty else { throw BenchError("interrupted") }
        return ready.count > 1 && !ready[1].isEmpty
    }

    /// The next bytes from a socket or pipe; none at the end.
    func read(_ input: CInt) throws -> [UInt8] {
        // Longer than any run, so that only a process that hangs ends the benchmark.
        guard try wait(for: input, milliseconds: 120_000) else {
            throw BenchError("a process has sent nothing for 120 s")
        }
        return try System.read(input, upTo: 1 << 16)
    }

    /// Waits until a server accepts connections.
    func wait(forServer socket: String) throws {
        for _ in 0..<500 {
            if (try? Socket.connect(path: socket, deadline: 0)) != nil { return }
            try wait(milliseconds: 10)
        }
        throw Skip("no server listens at \(socket)")
    }

    // MARK: Processes

    /// Starts a program of the floor, or this one in a role, or the earlier one. It prints its results.
    func start(_ program: String, _ arguments: [any CustomStringConvertible]) throws -> BenchProcess {
        let command =
            switch program {
            case "role": [self.program, "role"]
            case "earlier role": [earlier ?? self.program, "role"]
            default: [floor(program)]
            }
        return try BenchProcess(command + arguments.map(\.description), on: self)
    }

    /// Starts a program as `start` does, and waits until it is ready.
    func startReady(_ program: String, _ arguments: any CustomStringConvertible...) throws -> BenchProcess {
        let process = try start(program, arguments)
        guard try process.line() == "ready" else { throw BenchError("\(process.name) did not become ready") }
        return process
    }

    /// Starts a broker, and waits until it is ready.
    func startBroker(_ socket: String) throws -> BenchProcess {
        let command = [broker, "--socket", socket, "--ready-fd", "3"]
        // Quiet, because a broker reports its end.
        let process = try BenchProcess(command, on: self, isQuiet: true)
        try process.awaitOutput()
        return process
    }

    // MARK: Clipboards

    /// The clipboard of that name. Its server is started at the first use.
    func clipboard(_ name: String) throws -> Clipboard {
        if let clipboard = clipboards[name] { return clipboard }
        let clipboard = try Clipboard(name, on: self)
        clipboards[name] = clipboard
        return clipboard
    }

    func endClipboards() {
        for clipboard in clipboards.values { clipboard.server.end() }
        clipboards = [:]
    }
}
