import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A `test-peer` or a `library-peer`: a source or a destination that reports its events.
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

    /// Sends one order in each line. It is valid only while the peer runs.
    func order(_ lines: String) throws {
        try System.write(Array("\(lines)\n".utf8).span, to: self.orders.raw)
    }

    /// Waits for the next line, which has to be this one.
    func expect(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.runner.nextLine() == line, sourceLocation: sourceLocation)
    }

    /// Sends an order, and waits for the line that confirms it.
    func order(_ line: String, expecting answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try self.order(line)
        try self.expect(answer, sourceLocation: sourceLocation)
    }

    /// Skips to this line.
    func wait(for line: String) throws {
        while try self.runner.nextLine() != line {}
    }

    /// The next line of the peer.
    func line() throws -> String {
        try self.runner.nextLine()
    }

    /// Waits until the peer has exited successfully. Returns the lines that were not read yet.
    func rest() throws -> [String] {
        let lines = try self.runner.rest()
        self.isOver = true
        return lines
    }

    /// The result of a destination's load: the number of bytes, or the code of the error.
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

    /// Kills the peer and waits until it is dead.
    func kill() throws {
        try self.signal(SIGKILL)
        try self.finish()
    }

    /// Waits until the peer has exited by itself.
    func finish() throws {
        guard !self.isOver else { return }
        self.isOver = true
        _ = try self.runner.finish()
    }

    /// Kills the peer unless it has exited.
    func end() throws {
        if !self.isOver { try self.kill() }
    }
}
