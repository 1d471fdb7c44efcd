import Glibc
import PasteboardTransport

/// A process that prints to standard output or descriptor 3. It ends at the latest when this object is released.
final class BenchProcess {
    private let name: String
    private let process: ChildProcess
    private let output: OwnedDescriptor
    private let stage: Stage

    /// - Parameters:
    ///   - input: the file of standard input; nil for none.
    ///   - isQuiet: whether standard error is discarded.
    init(_ command: [String], on stage: Stage, input: CInt? = nil, isQuiet: Bool = false) throws {
        name = command.joined(separator: " ")
        self.stage = stage
        let program = command[0].contains("/") ? command[0] : try stage.installed(command[0])
        var configuration = ChildProcess.Configuration(path: program, arguments: Array(command.dropFirst()))
        let pipe = try System.pipe()
        if let input { configuration.input = .descriptor(input) }
        configuration.output = .descriptor(pipe.second.raw)
        if isQuiet { configuration.errors = .null }
        configuration.descriptors = [pipe.second.raw]
        process = try ChildProcess(configuration)
        output = pipe.keepingFirst()
    }

    var id: pid_t { process.id }

    /// Waits for output. Returns nothing at its end.
    func read() throws -> [UInt8] { try stage.read(output.raw) }

    /// Waits until the process has printed something.
    func awaitOutput() throws {
        guard try !read().isEmpty else { throw BenchError("\(name) ended early") }
    }

    /// The numbers that it prints before it ends.
    func numbers(_ count: Int) throws -> [Double] {
        var text: [UInt8] = []
        while case let more = try read(), !more.isEmpty { text += more }
        let numbers = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }.compactMap { Double($0) }
        guard numbers.count == count else { throw BenchError("\(name) did not print \(count) numbers") }
        return numbers
    }

    /// Waits until the process has ended without an error.
    func finish() throws {
        guard try process.wait() == .exited(0) else { throw BenchError("\(name) failed") }
        hasEnded = true
    }

    private var hasEnded = false

    /// Ends it by SIGTERM, so that it ends its own processes. One that hangs is killed.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        try? process.kill(SIGTERM)
        guard (try? process.wait(milliseconds: 5_000)) == nil else { return }
        try? process.kill(SIGKILL)
        _ = try? process.wait()
    }

    deinit {
        end()
    }
}
