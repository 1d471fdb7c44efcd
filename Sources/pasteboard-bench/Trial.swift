import CBenchFloor
import Glibc
import PasteboardTransport

/// What one run of a case gave, in nanoseconds.
struct Measurement {
    /// Of one load: the median and the 99th of a hundred; of other shapes the whole time, twice.
    let median: UInt64
    let high: UInt64
    /// Processor time of the relay or the broker.
    let relay: UInt64
}

/// One run: a relay or a broker, a source and a destination, each a process of its own.
struct Trial {
    let benchCase: BenchCase
    let core: CInt
    let program: String

    func run() throws -> Measurement {
        let directory = "/tmp/pasteboard-bench-\(System.processID)"
        try System.makeDirectory(directory)
        defer {
            for file in ["socket", "socket.lock", "start.lock"] { try? System.unlink("\(directory)/\(file)") }
            try? System.removeDirectory(directory)
        }
        let socket = "\(directory)/socket"
        let isFloor = self.benchCase.destination == .floor
        let relay = try BenchProcess(self.program, [isFloor ? "relay" : "broker", socket], core: self.core)
        defer { relay.end() }
        try relay.awaitReady()
        let source = try BenchProcess(
            self.program,
            ["\(self.benchCase.source)-source", socket, "\(self.benchCase.bytes)"],
            core: self.core
        )
        defer { source.end() }
        try source.awaitReady()
        let arguments = [
            "\(self.benchCase.destination)-destination", socket, self.benchCase.shape.rawValue,
            "\(self.benchCase.count)", "\(self.benchCase.bytes)",
        ]
        let destination = try BenchProcess(self.program, arguments, core: self.core)
        defer { destination.end() }
        let before = bench_processor_time(relay.id)
        let numbers = try destination.output().split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 2 else { throw BenchError("\(self.benchCase.name): the destination gave no result") }
        return Measurement(median: numbers[0], high: numbers[1], relay: bench_processor_time(relay.id) - before)
    }
}

/// A process that plays a role of this program and tells of itself by lines.
final class BenchProcess {
    let id: pid_t
    private let pipe: OwnedDescriptor

    init(_ program: String, _ role: [String], core: CInt) throws {
        let arguments = ([program, "role"] + role).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var output: CInt = -1
        self.id = bench_spawn(program, arguments, core, &output)
        self.pipe = OwnedDescriptor(adopting: output)
    }

    func awaitReady() throws {
        guard try System.read(self.pipe.raw, upTo: 64).starts(with: Array("ready".utf8)) else {
            throw BenchError("a process of the benchmark did not get ready")
        }
    }

    /// All that it prints until its end.
    func output() throws -> String {
        var all: [UInt8] = []
        while case let bytes = try System.read(self.pipe.raw, upTo: 4096), !bytes.isEmpty { all += bytes }
        return String(decoding: all.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    func end() {
        try? System.kill(self.id, SIGKILL)
        _ = try? System.waitForProcess(self.id)
    }
}
