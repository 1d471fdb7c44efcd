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

    init(_ options: BenchOptions) throws {
        isQuick = options.isQuick
        signals = try SignalDescriptor([SIGINT, SIGTERM])
        program = try System.programPath()
        let programs = options.programs ?? System.directory(of: program)
        (pasteboard, broker) = ("\(programs)/pasteboard", "\(programs)/pasteboardd")
        earlier = options.earlier.map { "\($0)/pasteboard-bench" }
        for path in [pasteboard, broker, earlier ?? broker] where !System.isExecutable(path) {
            throw BenchError("there is no program \(path); build it, or set --programs")
        }
        directory = "/tmp/pasteboard-bench-\(System.processID)"
        try chooseProcessor()
        try System.makeDirectory(directory)
        // The configuration of the user must not change the limits of the broker.
        try System.setEnvironment("XDG_CONFIG_HOME", to: directory)
    }

    func close() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Binds this process, and all that it starts, to the last processor that it may use.
    private func chooseProcessor() throws {
        let status = String(decoding: try System.contents(of: "/proc/self/status"), as: UTF8.self)
        let allowed = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") } ?? ""
        let last = allowed.split { !$0.isNumber }.last ?? "0"
        try BenchProcess(["taskset", "-pc", String(last), "\(System.processID)"], on: self).finish()
    }

    /// The path of the floor. It is compiled at the first use: one in Swift would add its slower start.
    func floor() throws -> String {
        let floor = "\(directory)/floor"
        guard !System.isExecutable(floor) else { return floor }
        let source = System.directory(of: #filePath) + "/floor.c"
        let compiler = ChildProcess.Configuration(path: try installed("cc"), arguments: ["-O2", "-o", floor, source])
        guard try ChildProcess(compiler).wait() == .exited(0) else { throw BenchError("cannot compile \(source)") }
        return floor
    }

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
        guard let path = paths.first(where: { System.isExecutable($0) }) else {
            throw BenchError("\(name) is not installed")
        }
        return path
    }

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

    /// Starts this program, or the earlier one, in a role.
    func start(
        _ role: String,
        _ arguments: any CustomStringConvertible...,
        isEarlier: Bool = false
    ) throws -> BenchProcess {
        let program = isEarlier ? earlier ?? self.program : self.program
        return try BenchProcess([program, "role", role] + arguments.map(\.description), on: self)
    }

    /// Starts a broker, and waits until it is ready.
    func startBroker(_ socket: String) throws -> BenchProcess {
        // Quiet, because a broker reports its end.
        let process = try BenchProcess([broker, "--socket", socket, "--ready-fd", "3"], on: self, isQuiet: true)
        try process.awaitOutput()
        return process
    }
}
