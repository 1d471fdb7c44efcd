import Glibc
import PasteboardKit
import PlacesModel

// Lists the items of a pasteboard, loads one item or all at once, and appends the places to its own list.
@main
enum Main {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()), arguments.rest.count <= 1,
            let selection = PlaceSelection(arguments.rest.first)
        else {
            Trace.line("usage: places-target [--board NAME] [INDEX]")
            exit(2)
        }
        var target = PlacesTarget(board: Pasteboard(name: Pasteboard.Name(rawValue: arguments.board)))
        do {
            try await target.load(selection)
        } catch {
            Trace.line("target: \(error)")
            exit(1)
        }
    }
}
