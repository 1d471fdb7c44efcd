import PasteboardTransport
import TestSupport
import Testing

/// A language in which `Examples` has programs that use the protocol directly.
enum ForeignLanguage: String, CaseIterable, Sendable {
    case c
    case python
}

/// The programs of `Examples/c` and `Examples/python`, built for one test.
struct ForeignPrograms {
    static let needs = "needs cc and protoc on PATH, and google.protobuf for python3, or for $PASTEBOARD_TEST_PYTHON"

    /// Whether the programs can be built and run.
    static let areAvailable: Bool = {
        let script = "command -v cc && command -v protoc && \"$0\" -c 'import google.protobuf'"
        let shell = try? ProcessRunner(
            "/bin/sh",
            ["-c", script, Self.python],
            environment: ["PATH": System.environment("PATH") ?? "/usr/bin:/bin"]
        )
        return (try? shell?.finish().exitCode) == 0
    }()

    private static let python =
        System.environment("PASTEBOARD_TEST_PYTHON").flatMap { $0.isEmpty ? nil : $0 } ?? "python3"

    private let desk: Desk
    private let environment: [String: String]

    /// Builds the programs by the commands of their READMEs, and starts a broker, because they start none.
    init(at desk: Desk) throws {
        self.desk = desk
        var environment = desk.environment
        environment["PYTHONPATH"] = try desk.directory.makeDirectory("messages")
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.environment = environment
        let built = try desk.shell(
            """
            set -e
            for program in source destination; do
                cc -std=c11 -Wall -Wextra -Werror -o $program '\(Document.root)/Examples/c/'$program.c
            done
            protoc -I '\(Document.root)/Sources/PasteboardWire' --python_out=messages pasteboard.proto
            """
        )
        try #require(built.exitCode == 0, "\(built.errorText)")
        try desk.copy("nothing", "--board", "start")
    }

    func start(_ program: String, in language: ForeignLanguage, _ arguments: [String]) throws -> ProcessRunner {
        let command =
            switch language {
            case .c: [desk.directory[program]]
            case .python: ["/usr/bin/env", Self.python, "\(Document.root)/Examples/python/\(program).py"]
            }
        return try ProcessRunner(
            command[0],
            Array(command.dropFirst()) + arguments,
            environment: environment,
            directory: desk.directory.path
        )
    }

    /// Starts a source, and returns once its file can be loaded.
    func offer(in language: ForeignLanguage, _ arguments: [String]) throws -> ProcessRunner {
        let source = try start("source", in: language, arguments)
        #expect(try source.nextLine() == "offered")
        return source
    }

    /// Runs a destination, which writes the bytes to its output and a summary or a failure to its standard error.
    func load(in language: ForeignLanguage, _ arguments: [String] = []) throws -> ProcessRunner.Finished {
        try start("destination", in: language, arguments).finish()
    }

    /// Tests the programs in Python by the rules of the protocol.
    func conformance() throws -> ProcessRunner.Finished {
        let python = "exec /usr/bin/env '\(Self.python)' '\(Document.root)/Examples/python"
        try desk.directory.write(
            """
            case $1 in
            paste) \(python)/destination.py';;
            copy) cat > kept.$$; \(python)/source.py' -k -t public.utf8-plain-text kept.$$;;
            offer) cat > offered.$$; \(python)/source.py' -t public.utf8-plain-text offered.$$;;
            esac
            """,
            to: "client.sh"
        )
        return try ProcessRunner(
            try ProcessRunner.program("pasteboard-conformance"),
            ["--client", "sh client.sh", "--timeout", "600000"],
            environment: environment,
            directory: desk.directory.path
        ).finish()
    }
}
