import Glibc
package import PasteboardTransport

/// A program that a test runs. Its output is collected, and it is killed if it hangs.
package final class ProcessRunner {
    package struct Finished: Sendable {
        /// The exit code as reported by a shell: 128 plus the signal's number for a program that a signal ended.
        package let exitCode: CInt
        package let output: [UInt8]
        package let errors: [UInt8]

        package var text: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    package enum Trouble: Error {
        /// The program hangs; `errors` is its standard error so far.
        case hangs(program: String, errors: String)
        case endedEarly(errors: String)
    }

    /// The timeout in milliseconds after which a wait counts as failed.
    package static let watchdog = 300_000

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
            environment: Sanitizer.environment(with: environment)
        )
        configuration.input = input.map { .descriptor($0) } ?? .null
        configuration.output = .descriptor(standardOutput ?? output.second.raw)
        configuration.errors = .descriptor(standardError ?? errors.second.raw)
        configuration.directory = try directory.map { DescriptorBox(try System.open($0, .directory)) }
        configuration.inNewGroup = true
        child = try ChildProcess(configuration)
        program = ([path] + arguments).joined(separator: " ")
        self.output = output.keepingFirst()
        self.errors = errors.keepingFirst()
    }

    deinit {
        guard !isOver else { return }
        try? child.killGroup(SIGKILL)
        _ = try? child.wait()
    }

    /// Ends programs by SIGTERM, one after the other.
    package static func end(_ programs: ProcessRunner...) throws {
        for program in programs {
            try program.child.kill(SIGTERM)
            _ = try program.finish()
        }
    }

    /// Waits until the program has ended and until all processes that hold its output have ended.
    package func finish() throws -> Finished {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while output != nil || errors != nil { try read(until: deadline) }
        let left = Int(MonotonicClock.millisecondsLeft(until: deadline))
        guard let end = try child.wait(milliseconds: left) else { throw hangs }
        isOver = true
        let exitCode =
            switch end {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return Finished(exitCode: exitCode, output: outputBytes, errors: errorBytes)
    }

    /// Waits until standard error contains the text.
    package func waitForErrors(containing text: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while !String(decoding: errorBytes, as: UTF8.self).contains(text) {
            guard errors != nil else {
                throw Trouble.endedEarly(errors: String(decoding: errorBytes, as: UTF8.self))
            }
            try read(until: deadline)
        }
    }

    /// Waits until standard output contains the text.
    package func waitForOutput(containing text: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while !String(decoding: outputBytes, as: UTF8.self).contains(text) {
            guard output != nil else {
                throw Trouble.endedEarly(errors: String(decoding: errorBytes, as: UTF8.self))
            }
            try read(until: deadline)
        }
    }

    /// Waits for the next line of its standard output.
    package func nextLine() throws -> String {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        while true {
            let rest = outputBytes[linesGiven...]
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                linesGiven = end + 1
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard output != nil else {
                throw Trouble.endedEarly(errors: String(decoding: errorBytes, as: UTF8.self))
            }
            try read(until: deadline)
        }
    }

    /// Waits for a successful end. Returns the lines of standard output that `nextLine` has not returned.
    package func rest() throws -> [String] {
        let finished = try finish()
        guard finished.exitCode == 0 else { throw Trouble.endedEarly(errors: finished.errorText) }
        let rest = String(decoding: outputBytes[linesGiven...], as: UTF8.self)
        return rest.split(separator: "\n").map(String.init)
    }

    private func read(until deadline: UInt64) throws {
        let streams = [output?.raw, errors?.raw].map { $0 ?? -1 }
        // `poll` ignores negative descriptors.
        let ready = try System.poll(
            streams.map { PollInterest($0, .readable) },
            milliseconds: Int(MonotonicClock.millisecondsLeft(until: deadline))
        )
        if !ready[0].isEmpty {
            let bytes = try System.read(streams[0], upTo: 1 << 18)
            outputBytes += bytes
            if bytes.isEmpty { output = nil }
        }
        if !ready[1].isEmpty {
            let bytes = try System.read(streams[1], upTo: 1 << 16)
            errorBytes += bytes
            if bytes.isEmpty { errors = nil }
        }
        if MonotonicClock.now() >= deadline { throw hangs }
    }

    private var hangs: Trouble {
        .hangs(program: program, errors: String(decoding: errorBytes, as: UTF8.self))
    }
}
