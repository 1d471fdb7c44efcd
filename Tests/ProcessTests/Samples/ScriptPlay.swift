import TestSupport
import Testing

/// The part of one program in a play: its script, and all lines that it prints.
struct ScriptPart: Sendable {
    let program: String
    let arguments: [String]
    let script: String
    let lines: [String]

    init(_ program: String, _ arguments: String..., script: String, lines: String) {
        self.program = program
        self.arguments = arguments
        self.script = script
        self.lines = lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Starts the program with the script, in a desk's directory.
    func start(at desk: Desk, as name: String) throws -> ProcessRunner {
        try desk.directory.write(script, to: name)
        return try ProcessRunner(
            try ProcessRunner.program(program),
            arguments + ["--script", name],
            environment: desk.environment,
            directory: desk.directory.path
        )
    }
}

/// Scripts that are played at the same time, each by a separate process.
struct ScriptPlay: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let parts: [ScriptPart]

    init(_ name: String, _ parts: ScriptPart...) {
        testDescription = name
        self.parts = parts
    }
}
