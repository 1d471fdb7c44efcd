import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Debug commands whose system calls fail one after the other.
@Suite(.processes) struct FailingCommandTests {
    /// The greatest number of calls of a command below, with a reserve.
    private static let mostCalls = 200
    private static let before = Array("before".utf8)
    private static let after = Desk.bytes(300_000)

    @Test(
        "Whichever call fails once, a copy succeeds or fails with one error, and the contents are the old or the new ones",
        .tags(.f53)
    )
    func copy() throws {
        let desk = try Desk(.socket)
        try forEachCall(ENOMEM) { failing in
            try #require(try desk.run("copy", "-t", "public.data", input: Self.before).exitCode == 0)
            let copy = try desk.run(failing, "copy", "-t", "public.data", input: Self.after)
            let contents = try desk.run("paste").output
            #expect(contents == Self.after || copy.exitCode != 0 && contents == Self.before)
            return copy
        }
    }

    @Test(
        "Whichever call fails once, a paste writes all bytes or fails with one error, and leaves no incomplete file",
        .tags(.f53)
    )
    func paste() throws {
        let desk = try Desk(.socket)
        try #require(try desk.run("copy", "-t", "public.data", input: Self.after).exitCode == 0)
        try forEachCall(ENOSPC) { failing in
            _ = try desk.directory.makeDirectory("into")
            defer { _ = try? desk.shell("rm -r into") }
            let paste = try desk.run(failing, "paste", "-o", "into/out")
            let isThere = desk.directory.names(in: "into") == ["out"]
            #expect(isThere == (paste.exitCode == 0) && (isThere || desk.directory.names(in: "into").isEmpty))
            if isThere { #expect(try desk.directory.contents(of: "into/out") == Self.after) }
            return paste
        }
    }

    /// Runs a command with the first call failing, then with the second, until all of its calls have failed once.
    private func forEachCall(_ code: CInt, _ command: (Desk.Failing) throws -> ProcessRunner.Finished) throws {
        for number in 1...Self.mostCalls {
            let finished = try command(Desk.Failing("*:\(number):1:\(code)"))
            var lines = finished.errorText.split(separator: "\n")
            guard let report = lines.first, report.hasPrefix("made to fail: ") else {
                #expect(number > 10 && finished.exitCode == 0, "\(finished.errorText)")
                return
            }
            lines.removeFirst()
            #expect((0...9).contains(finished.exitCode), "\(report): \(finished.exitCode)")
            #expect(lines.count == (finished.exitCode == 0 ? 0 : 1), "\(finished.errorText)")
            #expect(lines.allSatisfy { $0.hasPrefix("pasteboard: ") }, "\(finished.errorText)")
        }
        Issue.record("the command makes more calls than expected")
    }
}

extension Desk {
    /// The calls that fail in a command.
    struct Failing {
        let calls: String

        init(_ calls: String) {
            self.calls = calls
        }
    }

    /// Runs `pasteboard` with failing calls.
    fileprivate func run(
        _ failing: Failing,
        _ arguments: String...,
        input: [UInt8] = []
    ) throws -> ProcessRunner.Finished {
        let file = DescriptorBox(try System.open(try directory.write(input, to: ".input")))
        return try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            arguments,
            environment: environment.merging(["PASTEBOARD_TEST_FAILING_CALLS": failing.calls]) { $1 },
            directory: directory.path,
            input: file.raw
        ).finish()
    }
}
