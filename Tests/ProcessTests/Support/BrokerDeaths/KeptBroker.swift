import Glibc
import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

/// A broker of one test whose keeper starts it again when the test kills it.
final class KeptBroker {
    let place: BrokerPlace
    let keeper: ProcessRunner

    init(limits: [String] = []) throws {
        System.ignoreBrokenPipes()
        place = try BrokerPlace()
        let arguments = ["--socket", place.socket] + PatientLimits.with(limits).flatMap { ["--limit", $0] }
        keeper = try ProcessRunner(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" --ready-fd 4 4>&1", try ProcessRunner.program("pasteboardd")] + arguments,
            environment: place.environment
        )
        try keeper.waitForOutput(containing: "r")
    }

    /// Kills the broker, and returns after the keeper has noticed its end.
    func killBroker() throws {
        var broker: CInt?
        // After a death there is none for a moment.
        try eventually("the start of a broker by the keeper") {
            broker = try processes().first
            return broker != nil
        }
        let process = try #require(broker)
        try System.kill(process, SIGKILL)
        try keeper.waitForErrors(containing: "the broker (process \(process)) was ended by signal 9")
    }

    /// The keeper's child processes.
    private func processes() throws -> [CInt] {
        let path = "/proc/\(keeper.child.id)/task/\(keeper.child.id)/children"
        let text = String(decoding: try System.contents(of: path), as: UTF8.self)
        return text.split(separator: " ").compactMap { CInt($0) }
    }

    /// The number of the keeper's open descriptors.
    func keeperDescriptors() throws -> Int {
        let count = Int(clamping: try System.status(at: "/proc/\(keeper.child.id)/fd")?.size ?? 0)
        try #require(count > 0)
        return count
    }

    /// A client in the test's own process.
    func connect() throws -> BlockingConnection {
        try place.connection()
    }

    /// Ends the broker by SIGTERM, which has to be successful.
    func end() throws {
        try keeper.child.kill(SIGTERM)
        let finished = try keeper.finish()
        #expect(finished.exitCode == 0, "\(finished.errorText)")
    }
}
