import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A `test-peer`, or a `library-peer`: a source or a destination that tells what happens to it.
final class PeerProcess {
    private let runner: ProcessRunner
    private let orders: DescriptorBox
    private var isOver = false

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        let pipe = try System.pipe()
        self.runner = try ProcessRunner(
            try ProcessRunner.program(program),
            arguments,
            environment: environment,
            input: pipe.first.raw
        )
        self.orders = DescriptorBox(pipe.keepingSecond())
    }

    /// One order a line. Only while it lives.
    func order(_ lines: String) throws {
        try System.write(Array("\(lines)\n".utf8).span, to: self.orders.raw)
    }

    /// Waits for its next line, which has to be this.
    func expect(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.runner.nextLine() == line, sourceLocation: sourceLocation)
    }

    /// Orders something, and waits until it was done.
    func order(_ line: String, expecting answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try self.order(line)
        try self.expect(answer, sourceLocation: sourceLocation)
    }

    /// Skips to this line.
    func wait(for line: String) throws {
        while try self.runner.nextLine() != line {}
    }

    /// Its next line.
    func line() throws -> String {
        try self.runner.nextLine()
    }

    /// Waits until it has ended well by itself; returns the lines that were not read yet.
    func rest() throws -> [String] {
        let lines = try self.runner.rest()
        self.isOver = true
        return lines
    }

    /// What became of a destination's load: how many bytes, or the error's code.
    func outcome() throws -> String {
        while true {
            let line = try self.runner.nextLine()
            if line.hasPrefix("done ") { return line }
            if line.hasPrefix("failed ") { return String(line.prefix { $0 != ":" }) }
        }
    }

    func signal(_ signal: CInt) throws {
        try self.runner.child.kill(signal)
    }

    /// Kills it, and returns once it is dead.
    func kill() throws {
        try self.signal(SIGKILL)
        try self.finish()
    }

    /// Waits until it has ended by itself.
    func finish() throws {
        guard !self.isOver else { return }
        self.isOver = true
        _ = try self.runner.finish()
    }

    /// Kills it unless it has ended.
    func end() throws {
        if !self.isOver { try self.kill() }
    }
}
