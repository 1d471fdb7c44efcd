import Foundation
import ProtocolVectors

/// Google's protobuf in a separate process: `protoc` for the schema, Python for the messages.
struct ProtobufPeer {
    struct PeerError: Error {
        let text: String
    }

    static let missing = "needs protoc on PATH and google.protobuf for python3, or for $PASTEBOARD_TEST_PYTHON"

    /// Whether both programs are installed.
    static let isAvailable: Bool = {
        guard let python = Self.python, Self.program("protoc") != nil else { return false }
        return (try? Self.run(python, ["-c", "import google.protobuf"], input: "")) != nil
    }()

    private static let python = Self.program(
        ProcessInfo.processInfo.environment["PASTEBOARD_TEST_PYTHON"].flatMap { $0.isEmpty ? nil : $0 } ?? "python3"
    )

    /// Runs the program with arguments and returns the lines of its output.
    static func run(_ arguments: [String], input: String = "") throws -> [Substring] {
        guard let protoc = Self.program("protoc"), let python = Self.python else { throw PeerError(text: missing) }
        return try withTemporaryDirectory { directory in
            let schema = URL(fileURLWithPath: Repository.path(Repository.schema))
            let descriptors = directory.appendingPathComponent("descriptors").path
            let include = schema.deletingLastPathComponent().path
            _ = try Self.run(
                protoc,
                ["-I", include, "--descriptor_set_out=\(descriptors)", schema.lastPathComponent],
                input: ""
            )
            let script = Repository.path("Tests/PasteboardWireTests/Resources/protobuf_peer.py")
            return try Self.run(python, [script, descriptors] + arguments, input: input).split(separator: "\n")
        }
    }

    private static func program(_ name: String) -> String? {
        if name.contains("/") { return name }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Uses files, because a program blocks on a pipe that is not read.
    private static func run(_ program: String, _ arguments: [String], input: String) throws -> String {
        try withTemporaryDirectory { directory in
            func handle(_ name: String, _ text: String = "") throws -> FileHandle {
                let file = directory.appendingPathComponent(name)
                try Data(text.utf8).write(to: file)
                return try FileHandle(forUpdating: file)
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardInput = try handle("input", input)
            process.standardOutput = try handle("output")
            process.standardError = try handle("error")
            try process.run()
            process.waitUntilExit()
            func text(_ name: String) throws -> String {
                try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
            }
            guard process.terminationStatus == 0 else {
                throw PeerError(text: "\(program) ended with \(process.terminationStatus): \(try text("error"))")
            }
            return try text("output")
        }
    }

    private static func withTemporaryDirectory<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("pasteboard-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(directory)
    }
}
