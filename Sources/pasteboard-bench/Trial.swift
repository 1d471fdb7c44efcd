import CBenchFloor
import Glibc
import PasteboardTransport

/// One run: a relay or a broker, a source and a destination, each a process of its own.
struct Trial {
    let benchCase: BenchCase
    let core: CInt
    let program: String
    /// Becomes readable when the run is to end early.
    let interrupts: CInt

    func run() throws -> Measurement {
        let directory = "/tmp/pasteboard-bench-\(System.processID)"
        try System.makeDirectory(directory)
        defer {
            for file in ["socket", "socket.lock", "start.lock"] { try? System.unlink("\(directory)/\(file)") }
            try? System.removeDirectory(directory)
        }
        let socket = "\(directory)/socket"
        let isFloor = self.benchCase.destination == .floor
        let relay = try self.start([isFloor ? "relay" : "broker", socket])
        defer { relay.end() }
        try relay.awaitReady()
        let source = try self.start(["\(self.benchCase.source)-source", socket, "\(self.benchCase.bytes)"])
        defer { source.end() }
        try source.awaitReady()
        let arguments = [
            "\(self.benchCase.destination)-destination", socket, self.benchCase.shape.rawValue,
            "\(self.benchCase.count)", "\(self.benchCase.bytes)", "\(relay.id)",
        ]
        let destination = try self.start(arguments)
        defer { destination.end() }
        guard let measurement = Measurement(line: try destination.line()) else {
            throw BenchError("\(self.benchCase.name): the destination gave no result")
        }
        return measurement
    }

    private func start(_ role: [String]) throws -> BenchProcess {
        try BenchProcess(self.program, role, core: self.core, interrupts: self.interrupts)
    }
}

/// A process that plays a role of this program and tells of itself by lines.
final class BenchProcess {
    /// Longer than any run takes: a process that hangs ends the benchmark instead of holding it.
    private static let patience = 60_000

    let id: pid_t
    private let name: String
    private let pipe: OwnedDescriptor
    private let interrupts: CInt

    init(_ program: String, _ role: [String], core: CInt, interrupts: CInt) throws {
        self.name = role.first ?? ""
        self.interrupts = interrupts
        let arguments = ([program, "role"] + role).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var output: CInt = -1
        self.id = bench_spawn(program, arguments, core, &output)
        self.pipe = OwnedDescriptor(adopting: output)
    }

    func awaitReady() throws {
        guard try self.line() == "ready" else { throw BenchError("\(self.name) did not get ready") }
    }

    /// The one line that it prints.
    func line() throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: "\n") {
            let interests = [PollInterest(self.pipe.raw, .readable), PollInterest(self.interrupts, .readable)]
            let ready = try System.poll(interests, milliseconds: Self.patience)
            guard ready[1].isEmpty else { throw BenchError("interrupted") }
            guard !ready[0].isEmpty else { throw BenchError("\(self.name) did nothing for \(Self.patience) ms") }
            let more = try System.read(self.pipe.raw, upTo: 64)
            guard !more.isEmpty else { throw BenchError("\(self.name) ended early") }
            bytes += more
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    func end() {
        try? System.kill(self.id, SIGKILL)
        _ = try? System.waitForProcess(self.id)
    }
}
