import Glibc
import PasteboardTransport

/// A process that reports lines, on standard output or on descriptor 3. It is killed at the latest when this object is
/// released.
final class BenchProcess {
    /// The timeout for a line, in milliseconds: longer than any run, so that only a process that hangs ends the
    /// benchmark.
    private static let timeout = 120_000

    let name: String
    private let process: ChildProcess
    private let output: OwnedDescriptor
    private let interrupts: CInt
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// - Parameter isQuiet: whether standard error is discarded.
    init(_ command: [String], interrupts: CInt, isQuiet: Bool = false) throws {
        guard let path = command.first else { throw BenchError("no program to start") }
        name = command.joined(separator: " ")
        self.interrupts = interrupts
        var configuration = ChildProcess.Configuration(path: path)
        configuration.arguments = command.map { SystemString($0) }
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
        let interests = [PollInterest(output.raw, .readable), PollInterest(interrupts, .readable)]
        let ready = try System.poll(interests, milliseconds: Self.timeout)
        guard ready[1].isEmpty else { throw BenchError("interrupted") }
        guard !ready[0].isEmpty else { throw BenchError("\(name) has printed nothing for \(Self.timeout) ms") }
        let more = try System.read(output.raw, upTo: 4096)
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

    func kill() throws {
        try process.kill(SIGKILL)
    }

    /// The process that this one has started.
    func child() throws -> pid_t {
        let text = String(decoding: try System.contents(of: "/proc/\(id)/task/\(id)/children"), as: UTF8.self)
        guard let child = text.split(separator: " ").first.flatMap({ pid_t($0) }) else {
            throw BenchError("\(name) has no child process")
        }
        return child
    }

    /// Ends it by SIGTERM, so that it ends its own processes. One that hangs is killed.
    func terminate() {
        guard !hasEnded else { return }
        try? process.kill(SIGTERM)
        if (try? process.wait(milliseconds: 5_000)) != nil { hasEnded = true }
        end()
    }

    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        try? process.kill(SIGKILL)
        _ = try? process.wait()
    }

    deinit {
        end()
    }
}
