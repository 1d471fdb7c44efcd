import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The check of another machine by `doctor --link`. Unlike the other checks, it starts a program there.
struct LinkExamination {
    /// The time for the other machine, in milliseconds.
    private static let timeout = 20_000

    private let machine: String
    private let via: String?
    private let program: Result<LinkProgram, any Error>

    init(_ operand: String, via: String?) {
        machine = operand
        self.via = via
        program = Result { try LinkProgram(to: operand, via: via, silence: Self.timeout) }
    }

    func finding(on loop: Loop) async -> Finding {
        do {
            let program = try self.program.get()
            defer { program.stop() }
            return try await finding(over: program, on: loop)
        } catch {
            let advice =
                via.map { "check that '\($0)' runs 'pasteboard connect' on \(machine), and prints nothing else" }
                ?? "check that ssh reaches \(machine), and that its shell prints nothing before the program runs"
            return Finding("link", error, usual: advice)
        }
    }

    private func finding(over program: LinkProgram, on loop: Loop) async throws -> Finding {
        var timeouts = ConnectionTimeouts()
        timeouts.welcome = Self.timeout
        let end = program.end(at: machine, on: loop, timeouts: timeouts)
        defer { end.connection.end() }
        do throws(RequestFailure) {
            try await end.begin()
        } catch {
            guard !end.connection.isForeign else { throw program.explained(error.failure, at: end) }
            switch program.howItEnded() {
            case "ssh ended with status 127":
                throw CommandFailure(
                    local: "pasteboard was not found on \(machine); copy it there, and run 'pasteboard install'"
                )
            case let status?: throw CommandFailure(local: "\(machine) cannot be reached: \(status)")
            case nil: throw error.failure
            }
        }
        let version = end.connection.welcome.programVersion ?? "unknown"
        return Finding("link", "\(machine) has version \(version), which supports links")
    }
}
