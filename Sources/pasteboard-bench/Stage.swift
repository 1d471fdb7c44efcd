import CBenchFloor
import Glibc
import PasteboardTransport

/// The directory, the sockets and the programs of a run.
final class Stage {
    let options: BenchOptions
    /// The path of this program, which runs most of the roles.
    let program: String
    /// A descriptor that becomes readable when a signal ends the run.
    let interrupts: CInt
    let directory: String
    private var sockets = 0
    private var floor: String?

    init(_ options: BenchOptions) throws {
        self.options = options
        program = try System.programPath()
        interrupts = bench_interrupts()
        directory = "/tmp/pasteboard-bench-\(System.processID)"
        try System.makeDirectory(directory)
        // The configuration of the user must not change the limits of the broker.
        try System.setEnvironment("XDG_CONFIG_HOME", to: directory)
        if !options.isFree { bench_pin() }
    }

    func close() {
        _ = bench_remove_tree(directory)
    }

    /// The path for a new socket, in a new directory.
    func socket() throws -> String {
        sockets += 1
        let directory = "\(self.directory)/\(sockets)"
        try System.makeDirectory(directory)
        return "\(directory)/socket"
    }

    /// The path of a program of this package.
    func shipped(_ name: String) throws -> String {
        let beside = program.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let path = "\(options.programs ?? beside)/\(name)"
        guard (try? System.open(path)) != nil else { throw Skip("there is no \(path); build it, or set --programs") }
        return path
    }

    /// Waits until `path` exists.
    func await(_ path: String, of name: String) throws {
        for _ in 0..<500 {
            if try System.status(at: path) != nil { return }
            let ready = try System.poll([PollInterest(interrupts, .readable)], milliseconds: 10)
            guard ready[0].isEmpty else { throw BenchError("interrupted") }
        }
        throw Skip("\(name) did not become ready")
    }

    /// Lets time pass, unless the run is interrupted.
    func pause(milliseconds: Int) throws {
        let ready = try System.poll([PollInterest(interrupts, .readable)], milliseconds: milliseconds)
        guard ready[0].isEmpty else { throw BenchError("interrupted") }
    }

    func floorProgram() throws -> String {
        if let floor { return floor }
        let program = try FloorProgram.build(in: directory)
        self.floor = program
        return program
    }

    /// Creates a file of equal bytes.
    func fill(_ path: String, bytes: Int, with byte: UInt8) throws {
        let file = try System.open(path, [.writing, .creating, .truncating])
        let chunk = [UInt8](repeating: byte, count: min(bytes, 1 << 20))
        for _ in 0..<bytes / chunk.count { try System.write(chunk.span, to: file.raw) }
    }

    /// Starts this program in a role. The process reports its results in lines.
    func start(_ role: [any CustomStringConvertible]) throws -> BenchProcess {
        try BenchProcess([program, "role"] + role.map(\.description), interrupts: interrupts)
    }

    func start(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        try start(role)
    }

    /// Starts this program in a role, and waits until it is ready.
    func startReady(_ role: [any CustomStringConvertible]) throws -> BenchProcess {
        let process = try start(role)
        guard try process.line() == "ready" else { throw BenchError("\(process.name) did not become ready") }
        return process
    }

    func startReady(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        try startReady(role)
    }
}
