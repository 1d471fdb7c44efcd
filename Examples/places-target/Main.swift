@preconcurrency import Glibc
import PasteboardKit
import PlacesModel

// Lists the items of a pasteboard, loads one item or all at once, and appends the places to its own list.
@main
enum Main {
    static func main() async {
        setlinebuf(stdout)  // another program may wait for a line at the other end of a pipe
        guard let arguments = Arguments(CommandLine.arguments.dropFirst()), arguments.rest.count <= 1,
            arguments.rest.allSatisfy({ Int($0) ?? -1 >= 0 })
        else {
            print("usage: places-target [--board NAME] [INDEX]")
            exit(2)
        }
        var target = PlacesTarget(board: Pasteboard(name: Pasteboard.Name(rawValue: arguments.board)))
        do {
            try await target.load(arguments.rest.first.flatMap { Int($0) })
        } catch {
            print("target: \(error)")
            exit(1)
        }
    }
}
