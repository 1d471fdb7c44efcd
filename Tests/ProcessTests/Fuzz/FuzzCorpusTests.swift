import FoundationEssentials
import PasteboardTransport
import TestSupport
import Testing

/// The stored inputs of the fuzzing targets: valid exchanges, inputs that cover much code, and every input that has
/// shown a fault.
@Suite(.processes) struct FuzzCorpusTests {
    private static let corpora = "\(Document.root)/Tests/Fuzz/Corpora"

    @Test(
        "No stored input of the fuzzer ends the program or breaks a condition",
        .tags(.f20),
        arguments: ["arguments", "broker", "client", "frames", "messages", "types"]
    )
    func replay(target: String) throws {
        let folder = "\(Self.corpora)/\(target)"
        let inputs = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
        #expect(inputs.count >= 10)
        let program = try ProcessRunner(
            ProcessRunner.program("pasteboard-fuzz"),
            [target] + inputs,
            environment: ["SWIFT_BACKTRACE": "enable=no"]
        )
        let finished = try program.finish()
        #expect(finished.exitCode == 0, "\(finished.text.suffix(200))\(finished.errorText)")
    }
}
