import Glibc
import PasteboardKit
import SampleModels
import Stage
import TerminalTable

/// `places` in a terminal: its start and its end.
@MainActor
enum Interactive {
    static func main() async -> Never {
        do {
            let arguments = try StageArguments(
                CommandLine.arguments.dropFirst(),
                options: ["--policy", "--as", "--slow"],
                switches: ["--interactive"]
            )
            if arguments["--script"] != nil { throw StepError("--interactive takes keys, and no script") }
            let pace = try pace(arguments)
            let policy = try Main.policy(arguments)
            // From here on the terminal handles signals.
            let terminal = try Terminal()
            let places = TerminalPlaces(PlaceAcceptance(policy), pace: pace, terminal: terminal)
            do {
                try await places.register(as: arguments["--as"])
            } catch {
                terminal.close()
                end("\(error)", code: 1)
            }
            let signal = await places.run()
            terminal.close()
            if let signal { Terminal.end(by: signal) }
            exit(0)
        } catch {
            end("\(error)\nusage: \(usage)", code: 2)
        }
    }

    private static let usage =
        "places --interactive [--policy strict|permissive]\n       [--as NAME] [--slow SECONDS]"

    static let help = """
               \(usage)

        With --interactive the table is in the terminal, and a person drags with keys.
        Arrow keys choose a row, space picks it up and drops it, ? shows all keys.
          --as NAME           what others drop at; by default the first free name of
                              places, places-2 and so on
          --slow SECONDS      how long each row takes to arrive in another table
          --policy strict     one row at a time; rows of the table itself move in edit
                              mode only (the default)
          --policy permissive any number of rows; its own rows move at any time

        """

    private static func pace(_ arguments: StageArguments) throws(StepError) -> Duration? {
        guard let text = arguments["--slow"] else { return nil }
        guard let seconds = Double(text), 0...600 ~= seconds else {
            throw StepError("--slow takes a number of seconds up to 600, not \(text)")
        }
        return .seconds(seconds)
    }

    private static func end(_ text: String, code: Int32) -> Never {
        _ = "places: \(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(code)
    }
}
