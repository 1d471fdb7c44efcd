import Glibc
package import PasteboardTransport

/// A program that a test runs. Its output is collected, and it is killed if it hangs.
package final class ProcessRunner {
    package struct Finished: Sendable {
        /// The exit code as reported by a shell: 128 plus the signal's number for a program that a signal ended.
        package let exitCode: CInt
        package let output: [UInt8]
        package let errors: [UInt8]

        package var text: String { String(decoding: self.output, as: UTF8.self) }
        package var errorText: String { String(decoding: self.errors, as: UTF8.self) }
    }

    package enum Trouble: Error {
        /// The program hangs; `errors` is its standard error so far.
        case hangs(program: String, errors: String)
        case endedEarly(errors: String)
    }

    /// The timeout in milliseconds after which a wait counts as failed.
    package static let watchdog = 30_000

    package let child: ChildProcess
    private let program: String
    private var output: OwnedDescriptor?
    private var errors: OwnedDescriptor?
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    /// The number of bytes of the output that `nextLine` has returned.
    private var linesGiven = 0
    private var isOver = false

    /// The path of a program of this package, which is built into the directory of the tests.
    package static func program(_ name: String) throws -> String {
        "\(System.directory(of: try System.programPath()))/\(name)"
    }

    /// - Parameters:
    ///   - input: a descriptor for standard input; `/dev/null` by default.
    ///   - standardOutput: a descriptor that receives the output instead of this value.
    ///   - standardError: the same for standard error.
    package init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String],
        directory: String? = nil,
        input: CInt? = nil,
        standardOutput: CInt? = nil,
        standardError: CInt? = nil
    ) throws {
        let output = try System.pipe()
        let errors = try System.pipe()
        var configuration = ChildProcess.Configuration(
            path: path,
            arguments: arguments,
            environment: environment.map { "\($0)=\($1)" }
        )
        configuration.input = input.map { .descriptor($0) } ?? .null
        configuration.output = .descriptor(standardOutput ?? output.second.raw)
        configuration.errors = .descriptor(standardError ?? errors.second.raw)
        configuration.directory = try directory.map { DescriptorBox(try System.open($0, .directory)) }
        configuration.inNewGroup = true
        self.child = try ChildProcess(configuration)
        self.program = ([path] + arguments).joined(separator: " ")
        self.output = output.keepingFirst()
        self.errors = errors.keepingFirst()
    }

    deinit {
        guard !self.isOver else { return }
        try? self.child.killGroup(SIGKILL)
        _ = try? self.child.wait()
    }

    /// Waits until the program has ended and until all processes that hold its output have ended.
    package func finish() throws -> Finished {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while self.output != nil || self.errors != nil { try self.read(until: deadline) }
        let left = Int(MonotonicClock.millisecondsLeft(until: deadline))
        guard let end = try self.child.wait(milliseconds: left) else { throw self.hangs }
        self.isOver = true
        let exitCode =
            switch end {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return Finished(exitCode: exitCode, output: self.outputBytes, errors: self.errorBytes)
    }

    /// Waits until standard error contains the text.
    package func waitForErrors(containing text: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while !String(decoding: self.errorBytes, as: UTF8.self).contains(text) {
            guard self.errors != nil else {
                throw Trouble.endedEarly(errors: String(decoding: self.errorBytes, as: UTF8.self))
            }
            try self.read(until: deadline)
        }
    }

    /// Waits until standard output contains the text.
    package func waitForOutput(containing text: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while !String(decoding: self.outputBytes, as: UTF8.self).contains(text) {
            guard self.output != nil else {
                throw Trouble.endedEarly(errors: String(decoding: self.errorBytes, as: UTF8.self))
            }
            try self.read(until: deadline)
        }
    }

    /// Waits for the next line of its standard output.
    package func nextLine() throws -> String {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while true {
            let rest = self.outputBytes[self.linesGiven...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                self.linesGiven = end + 1
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard self.output != nil else {
                throw Trouble.endedEarly(errors: String(decoding: self.errorBytes, as: UTF8.self))
            }
            try self.read(until: deadline)
        }
    }

    /// Waits for a successful end. Returns the lines of standard output that `nextLine` has not returned.
    package func rest() throws -> [String] {
        let finished = try self.finish()
        guard finished.exitCode == 0 else { throw Trouble.endedEarly(errors: finished.errorText) }
        let rest = String(decoding: self.outputBytes[self.linesGiven...], as: UTF8.self)
        return rest.split(separator: "\n").map(String.init)
    }

    private func read(until deadline: UInt64) throws {
        let streams = [self.output?.raw, self.errors?.raw].map { $0 ?? -1 }
        // `poll` ignores negative descriptors.
        let ready = try System.poll(
            streams.map { PollInterest($0, .readable) },
            milliseconds: Int(MonotonicClock.millisecondsLeft(until: deadline))
        )
        if !ready[0].isEmpty {
            let bytes = try System.read(streams[0], upTo: 1 << 18)
            self.outputBytes += bytes
            if bytes.isEmpty { self.output = nil }
        }
        if !ready[1].isEmpty {
            let bytes = try System.read(streams[1], upTo: 1 << 16)
            self.errorBytes += bytes
            if bytes.isEmpty { self.errors = nil }
        }
        if MonotonicClock.now() >= deadline { throw self.hangs }
    }

    private var hangs: Trouble {
        .hangs(program: self.program, errors: String(decoding: self.errorBytes, as: UTF8.self))
    }
}
