import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A `test-peer` or a `library-peer`: a source or a destination that reports its events.
final class PeerProcess {
    let runner: ProcessRunner
    private let orders: DescriptorBox
    private var isOver = false

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        let pipe = try System.pipe()
        runner = try ProcessRunner(
            try ProcessRunner.program(program),
            arguments,
            environment: environment,
            input: pipe.first.raw
        )
        orders = DescriptorBox(pipe.keepingSecond())
    }

    /// Sends one order in each line. It is valid only while the peer runs.
    func order(_ lines: String) throws {
        try System.write(Array("\(lines)\n".utf8).span, to: orders.raw, raisesSignal: false)
    }

    /// Waits for the next line, which has to be this one.
    func expect(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try runner.nextLine() == line, sourceLocation: sourceLocation)
    }

    /// Sends an order, and waits for the line that confirms it.
    func order(_ line: String, expecting answer: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try order(line)
        try expect(answer, sourceLocation: sourceLocation)
    }

    /// Skips to this line.
    func wait(for line: String) throws {
        while try runner.nextLine() != line {}
    }

    /// The next line of the peer.
    func line() throws -> String {
        try runner.nextLine()
    }

    /// Waits until the peer has exited successfully. Returns the lines that were not read yet.
    func rest() throws -> [String] {
        let lines = try runner.rest()
        isOver = true
        return lines
    }

    /// The result of a destination's load: the number of bytes, the descriptor, or the code of the error.
    func outcome() throws -> String {
        while true {
            let line = try runner.nextLine()
            if line.hasPrefix("done ") || line.hasPrefix("passed ") { return line }
            if line.hasPrefix("failed ") { return String(line.prefix { $0 != ":" }) }
        }
    }

    func signal(_ signal: CInt) throws {
        try runner.child.kill(signal)
    }

    /// Kills the peer and waits until it is dead.
    func kill() throws {
        try signal(SIGKILL)
        try finish()
    }

    /// Waits until the peer has exited by itself.
    func finish() throws {
        guard !isOver else { return }
        isOver = true
        _ = try runner.finish()
    }

    enum Ending: CaseIterable {
        case killed
        case closed
    }

    /// Kills the peer, or has it close its connection.
    func end(by ending: Ending) throws {
        guard ending == .closed else { return try kill() }
        try order("close")
        try wait(for: "closed")
    }

    /// Kills the peer unless it has exited.
    func end() throws {
        if !isOver { try kill() }
    }
}
