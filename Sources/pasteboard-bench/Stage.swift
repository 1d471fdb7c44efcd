import CBenchFloor
import Glibc
import PasteboardTransport

/// The directory, sockets and processes of one case.
final class Stage {
    let options: BenchOptions
    /// The path of this program, which plays most of the roles.
    let program: String
    /// Becomes readable when the run has to end early.
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
        // The broker uses its default limits, whatever the user has configured.
        try System.setEnvironment("XDG_CONFIG_HOME", to: directory)
        if !options.isFree { bench_pin() }
    }

    func close() {
        _ = bench_remove_tree(directory)
    }

    /// A socket path that was not used before.
    func socket() throws -> String {
        sockets += 1
        let directory = "\(self.directory)/\(sockets)"
        try System.makeDirectory(directory)
        return "\(directory)/socket"
    }

    /// The path of a program of this package as it is installed.
    func shipped(_ name: String) throws -> String {
        let beside = program.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        let path = "\(options.programs ?? beside)/\(name)"
        guard (try? System.open(path)) != nil else { throw Skip("there is no \(path); build it, or see --programs") }
        return path
    }

    /// Waits until `path` exists.
    func await(_ path: String, of name: String) throws {
        for _ in 0..<500 {
            if try System.status(at: path) != nil { return }
            let ready = try System.poll([PollInterest(interrupts, .readable)], milliseconds: 10)
            guard ready[0].isEmpty else { throw BenchError("interrupted") }
        }
        throw Skip("\(name) does not get ready")
    }

    func floorProgram() throws -> String {
        if let floor { return floor }
        let program = try FloorProgram.build(in: directory)
        self.floor = program
        return program
    }

    /// Makes a file in which all bytes are the same.
    func fill(_ path: String, bytes: Int, with byte: UInt8) throws {
        let file = try System.open(path, [.writing, .creating, .truncating])
        let piece = [UInt8](repeating: byte, count: min(bytes, 1 << 20))
        for _ in 0..<bytes / piece.count { try System.write(piece.span, to: file.raw) }
    }

    /// Starts this program in a role. It reports by lines.
    func start(_ role: [any CustomStringConvertible]) throws -> BenchProcess {
        try BenchProcess([program, "role"] + role.map(\.description), interrupts: interrupts)
    }

    func start(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        try start(role)
    }

    /// Starts this program in a role and waits until it has reported that it is ready.
    func startReady(_ role: [any CustomStringConvertible]) throws -> BenchProcess {
        let process = try start(role)
        guard try process.line() == "ready" else { throw BenchError("\(process.name) did not get ready") }
        return process
    }

    func startReady(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        try startReady(role)
    }
}
