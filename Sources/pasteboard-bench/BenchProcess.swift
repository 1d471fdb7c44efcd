import Glibc
import PasteboardTransport

/// A process that reports lines, on standard output or on descriptor 3. It ends at the latest when this object is
/// released.
final class BenchProcess {
    let name: String
    private let process: ChildProcess
    private let output: OwnedDescriptor
    private let stage: Stage
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// - Parameter isQuiet: whether standard error is discarded.
    init(_ command: [String], on stage: Stage, isQuiet: Bool = false) throws {
        name = command.joined(separator: " ")
        self.stage = stage
        var configuration = ChildProcess.Configuration(path: command[0], arguments: Array(command.dropFirst()))
        let pipe = try System.pipe()
        configuration.output = .descriptor(pipe.second.raw)
        if isQuiet { configuration.errors = .null }
        configuration.descriptors = [pipe.second.raw]
        process = try ChildProcess(configuration)
        output = pipe.keepingFirst()
    }

    var id: pid_t { process.id }

    /// The next line that it prints.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            try awaitOutput()
        }
    }

    /// Waits for more output.
    func awaitOutput() throws {
        let more = try stage.read(output.raw)
        guard !more.isEmpty else { throw BenchError("\(name) ended early") }
        unread += more
    }

    /// The numbers of the next line.
    func numbers(_ count: Int) throws -> [Double] {
        let line = try self.line()
        let numbers = line.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == count else { throw BenchError("\(name) printed '\(line)' instead of \(count) numbers") }
        return numbers
    }

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
