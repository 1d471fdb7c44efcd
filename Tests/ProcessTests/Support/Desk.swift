import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A directory, an environment and a broker in which a test uses `pasteboard`.
final class Desk {
    /// The way in which the broker's socket is found.
    enum Place {
        case runtimeDirectory
        case socket
    }

    let directory: TemporaryDirectory
    var environment: [String: String]

    /// - Parameter limits: the lines of the broker's configuration that differ from `PatientLimits`.
    init(_ place: Place = .runtimeDirectory, limits: String = "") throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        environment = [
            "HOME": directory.path, "PATH": System.environment("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C",
            "XDG_STATE_HOME": try directory.makeDirectory("s"), "SWIFT_BACKTRACE": "enable=no",
        ]
        switch place {
        case .runtimeDirectory: environment["XDG_RUNTIME_DIR"] = try directory.makeDirectory("run")
        case .socket: environment["PASTEBOARD_SOCKET"] = directory["socket"]
        }
        _ = try directory.makeDirectory(".config")
        _ = try directory.makeDirectory(".config/pasteboard")
        try directory.write(PatientLimits.with(configuration: limits), to: ".config/pasteboard/config")
    }

    deinit {
        _ = try? run("stop")
    }

    /// Starts `pasteboard` in the directory.
    func start(_ arguments: String..., standardOutput: CInt? = nil) throws -> ProcessRunner {
        try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            arguments,
            environment: environment,
            directory: directory.path,
            standardOutput: standardOutput
        )
    }

    @discardableResult
    func run(
        _ arguments: String...,
        input: [UInt8]? = nil,
        standardOutput: CInt? = nil
    ) throws
        -> ProcessRunner.Finished
    {
        let file = try input.map { DescriptorBox(try System.open(try directory.write($0, to: ".input"))) }
        return try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            arguments,
            environment: self.environment,
            directory: self.directory.path,
            input: file?.raw,
            standardOutput: standardOutput
        ).finish()
    }

    /// Copies text.
    func copy(_ text: String, _ arguments: String...) throws {
        let file = DescriptorBox(try System.open(try directory.write(text, to: ".input")))
        let copy = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["copy"] + arguments,
            environment: environment,
            directory: directory.path,
            input: file.raw
        ).finish()
        try #require(copy.exitCode == 0, "\(copy.errorText)")
    }

    /// Runs a shell in the directory, with this package's `pasteboard` in its path.
    func shell(_ script: String) throws -> ProcessRunner.Finished {
        var environment = self.environment
        let programs = System.directory(of: try System.programPath())
        environment["PATH"] = "\(programs):\(environment["PATH"] ?? "")"
        return try ProcessRunner(
            "/bin/sh",
            ["-c", script],
            environment: environment,
            directory: directory.path
        ).finish()
    }

    /// Runs a script that has to succeed, and returns its output.
    @discardableResult
    func succeed(_ script: String) throws -> String {
        let finished = try shell(script)
        #expect(finished.exitCode == 0, "\(script): \(finished.errorText)")
        return finished.text
    }

    /// Starts a broker, and returns once it can be used.
    func serve(_ options: String = "") throws -> ProcessRunner {
        let program = try ProcessRunner.program("pasteboard")
        let broker = try ProcessRunner(
            "/bin/sh",
            ["-c", "exec \"$0\" broker \(options) --ready-fd 4 4>&1", program],
            environment: environment
        )
        try broker.waitForOutput(containing: "r")
        return broker
    }

    /// The process of the broker.
    func brokerProcess() throws -> CInt {
        let words = try run("status").text.split { " ,\n".contains($0) }
        return try #require(words.firstIndex(of: "process").flatMap { CInt(words[$0 + 1]) })
    }

    /// Kills the broker.
    func killBroker() throws { try System.kill(brokerProcess(), SIGKILL) }

    /// Starts an offer, and returns once it can be pasted.
    func offer(_ arguments: [String], board: String = "general") throws -> ProcessRunner {
        let runner = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["offer", "--board", board] + arguments,
            environment: environment,
            directory: directory.path
        )
        try runner.waitForErrors(containing: "offering ")
        return runner
    }

    /// Bytes that differ at every offset, so that misplaced chunks are found.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 11)
        // The length shares no factor with the sizes of buffers.
        let block = (0..<65_521).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        return Array(bytes.prefix(count))
    }
}
