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

    var finding: Finding {
        do {
            let program = try self.program.get()
            defer { program.stop() }
            return try finding(over: program)
        } catch {
            let advice =
                via.map { "check that '\($0)' runs 'pasteboard connect' on \(machine), and prints nothing else" }
                ?? "check that ssh reaches \(machine), and that its shell prints nothing before the program runs"
            return Finding("link", error, usual: advice)
        }
    }

    private func finding(over program: LinkProgram) throws -> Finding {
        let connection = program.connection(to: machine)
        connection.io.timeouts.welcome = Self.timeout
        do {
            _ = try connection.greet(watching: [])
        } catch {
            guard !connection.io.isForeign else { throw program.explained(error, over: connection) }
            switch program.howItEnded() {
            case "ssh ended with status 127":
                throw CommandFailure(
                    local: "pasteboard was not found on \(machine); copy it there, and run 'pasteboard install'"
                )
            case let end?: throw CommandFailure(local: "\(machine) cannot be reached: \(end)")
            case nil: throw error
            }
        }
        let version = connection.io.state.welcome?.programVersion ?? "unknown"
        return Finding("link", "\(machine) has version \(version), which supports links")
    }
}
