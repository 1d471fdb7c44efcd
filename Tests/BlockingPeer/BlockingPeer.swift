import PasteboardBlocking

/// A program that uses pasteboards as on Apple's systems, where no call waits. It is on the main actor, except where it
/// says something else. It reports events in lines on standard output.
@main
struct BlockingPeer {
    static func main() {
        let pasteboard = NSPasteboard.general
        switch CommandLine.arguments.last {
        case "owner":
            let owner = Owner()
            pasteboard.declareTypes([.string, .html], owner: owner)
            say("own: \(pasteboard.string(forType: .string) ?? "nil")")
            let item = NSPasteboardItem()
            item.setDataProvider(owner, forTypes: [.rtf])
            let other = NSPasteboard(name: .find)
            other.clearContents()
            other.writeObjects([item])
            say("own item: \(other.pasteboardItems?.first?.string(forType: .rtf) ?? "nil")")
            RunLoop.main.run()
        case "reader":
            say("\(pasteboard.string(forType: .string) ?? "nil"), \(pasteboard.string(forType: .html) ?? "nil")")
            let other = NSPasteboard(name: .find)
            say(other.pasteboardItems?.first?.string(forType: .rtf) ?? "nil")
            other.clearContents()
        case "crowd":
            // More tasks than the program has threads for tasks, and the main thread.
            let owner = FreeOwner()
            let group = DispatchGroup()
            for number in 0..<64 {
                group.enter()
                Task.detached {
                    let pasteboard = NSPasteboard(name: .init("board-\(number)"))
                    let texts = (0..<4).map { round in
                        pasteboard.declareTypes([.string], owner: owner)
                        return pasteboard.string(forType: .string) ?? "nil"
                    }
                    if texts == Array(repeating: "free", count: 4) { group.leave() }
                }
            }
            while group.wait(timeout: .now()) == .timedOut {
                pasteboard.declareTypes([.string], owner: owner)
                guard pasteboard.string(forType: .string) == "free" else { return say("nil") }
            }
            say("done")
        default: say("usage: blocking-peer owner|reader|crowd")
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    // Without `@MainActor`, a class that conforms to a `Sendable` protocol is nonisolated in this module, too.
    @MainActor private final class Owner: NSObject, NSPasteboardTypeOwner, NSPasteboardItemDataProvider {
        private var askedCount = 0

        func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
            askedCount += 1
            sender.setString("asked \(askedCount)", forType: type)
        }

        func pasteboard(
            _ pasteboard: NSPasteboard?,
            item: NSPasteboardItem,
            provideDataForType type: NSPasteboard.PasteboardType
        ) {
            item.setString("provided", forType: type)
        }

        func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) {
            BlockingPeer.say("finished")
        }
    }

    private nonisolated final class FreeOwner: NSPasteboardTypeOwner {
        func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) {
            sender.setString("free", forType: type)
        }
    }
}
