import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Programs with the library in debug builds, whose system calls fail one after the other.
@Suite(.processes) struct FailingLibraryTests {
    /// The greatest number of calls of the programs below, with a reserve.
    private static let mostCalls = 200
    /// The numbers of the calls that fail.
    private static var numbers: StrideThrough<Int> { stride(from: 1, through: mostCalls, by: thinned(4, full: 1)) }
    private static let kinds = ["count=300000", "data", "memory", "stream"]
    private static let forms = ["data", "file"]

    @Test("Whichever call of a destination fails once, each load ends with all bytes or an error", .tags(.f53))
    func destination() throws {
        try BrokerProcess.run { broker in
            _ = try broker.librarySource(Self.kinds)
            for number in Self.numbers {
                let destination = try start(["destination"] + Self.forms, failing: number, at: broker).finish()
                guard expectEnds(destination, number) else { return }
            }
            Issue.record("the program makes more calls than expected")
        }
    }

    @Test("Whichever call of a source fails once, each load from it ends with all bytes or an error", .tags(.f53))
    func source() throws {
        try BrokerProcess.run { broker in
            for number in Self.numbers {
                let source = try start(["source"] + Self.kinds, failing: number, at: broker)
                do {
                    #expect(try source.nextLine() == "promised")
                } catch ProcessRunner.Trouble.endedEarly(let errors) {
                    #expect(errors.hasPrefix("made to fail: ") && errors.contains("\nlibrary-peer: "), "\(errors)")
                    continue
                }
                let destination = try start(["destination"] + Self.forms, failing: nil, at: broker).finish()
                _ = expectEnds(destination, number)
                try source.child.kill(SIGKILL)
                guard try source.finish().errorText.contains("made to fail: ") else { return }
            }
            Issue.record("the program makes more calls than expected")
        }
    }

    private func start(_ words: [String], failing number: Int?, at broker: BrokerProcess) throws -> ProcessRunner {
        let failing = number.map { "*:\($0):1:\(ENOMEM)" }
        return try ProcessRunner(
            try ProcessRunner.program("library-peer"),
            [words[0], broker.place.socket] + words.dropFirst(),
            environment: broker.place.environment.merging(["PASTEBOARD_TEST_FAILING_CALLS": failing ?? ""]) { $1 }
        )
    }

    /// Returns whether a call was made to fail.
    private func expectEnds(_ finished: ProcessRunner.Finished, _ number: Int) -> Bool {
        let isReached = finished.errorText.contains("made to fail: ")
        let lines = finished.text.split(separator: "\n")
        if finished.exitCode == 0 {
            #expect(lines.first?.hasPrefix("items ") == true, "\(number): \(finished.text)")
            for line in lines.dropFirst() {
                #expect(line.contains(" pattern:300000 ") || line.contains(" failed "), "\(number): \(line)")
            }
        } else {
            #expect(isReached && finished.errorText.contains("\nlibrary-peer: "), "\(number): \(finished.errorText)")
        }
        return isReached
    }
}
