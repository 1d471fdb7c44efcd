import CBenchFloor
import Glibc
import PasteboardTransport

/// Where the processes of a case meet, and how they are started.
final class Stage {
    let options: BenchOptions
    /// This program, which plays most of the parts.
    let program: String
    /// Becomes readable when the run is to end early.
    let interrupts: CInt
    let directory: String
    private var sockets = 0

    init(_ options: BenchOptions) throws {
        self.options = options
        self.program = try System.programPath()
        self.interrupts = bench_interrupts()
        self.directory = "/tmp/pasteboard-bench-\(System.processID)"
        try System.makeDirectory(self.directory)
        // The broker's limits are the defaults, whatever the user has configured.
        try System.setEnvironment("XDG_CONFIG_HOME", to: self.directory)
        if !options.isFree { bench_pin() }
    }

    func close() {
        _ = bench_remove_tree(self.directory)
    }

    /// A place for a socket that nobody has used before.
    func socket() throws -> String {
        self.sockets += 1
        let directory = "\(self.directory)/\(self.sockets)"
        try System.makeDirectory(directory)
        return "\(directory)/socket"
    }

    /// Starts this program in a role; it tells what it has to tell by lines.
    func start(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        try BenchProcess([self.program, "role"] + role.map(\.description), interrupts: self.interrupts)
    }

    /// As `start`, and waits until it has said that it is ready.
    func startReady(_ role: any CustomStringConvertible...) throws -> BenchProcess {
        let process = try BenchProcess([self.program, "role"] + role.map(\.description), interrupts: self.interrupts)
        guard try process.line() == "ready" else { throw BenchError("\(process.name) did not get ready") }
        return process
    }
}
