import Glibc
import PasteboardKit
import PlacesModel

// Offers places on a pasteboard, makes each one when it is loaded, and exits when the offer has ended.
@main
enum Main {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()), arguments.rest.isEmpty else {
            Trace.line("usage: places-source [--board NAME]")
            exit(2)
        }
        let board = Pasteboard(name: Pasteboard.Name(rawValue: arguments.board))
        do {
            try await PlacesSource(board: board).run()
        } catch {
            Trace.line("source: \(error)")
            exit(1)
        }
    }
}
