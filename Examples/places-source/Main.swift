@preconcurrency import Glibc
import PasteboardKit
import PlacesModel

// Offers places on a pasteboard, makes each one when it is loaded, and exits when the offer has ended.
@main
enum Main {
    static func main() async {
        setlinebuf(stdout)  // another program may wait for a line at the other end of a pipe
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()), arguments.rest.isEmpty else {
            print("usage: places-source [--board NAME]")
            exit(2)
        }
        let board = Pasteboard(name: Pasteboard.Name(rawValue: arguments.board))
        do {
            try await PlacesSource(board: board).run()
        } catch {
            print("source: \(error)")
            exit(1)
        }
    }
}
