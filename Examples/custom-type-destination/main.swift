// Shows the contents of a pasteboard to a program that knows only public types: `json` shows data of any type that
// conforms to JSON, `text` shows text.
import FoundationEssentials
import Glibc
import PasteboardKit

let wanted: UniformType
switch CommandLine.arguments.dropFirst().first {
case "json", nil: wanted = .json
case "text": wanted = .plainText
case let other?:
    print("usage: custom-type-destination [json | text], not \(other)")
    exit(2)
}

do {
    for item in try await Pasteboard.general.contents().items.map(\.itemProvider) {
        guard item.canLoad(wanted) else {
            print("destination: nothing here is \(wanted)")
            continue
        }
        // The loaded type is not the requested one but a type that conforms to it; nothing in this program declares it.
        let loaded = try await item.loadData(forFirstOf: [wanted], preferring: .reader)
        let supertypes = loaded.type.supertypes.map(\.identifier).sorted().joined(separator: ", ")
        print("destination: \(item.suggestedName ?? "an item") came as \(loaded.type), which is \(supertypes)")
        print(String(decoding: loaded.value, as: UTF8.self))
    }
} catch {
    print("destination:", error)
    exit(1)
}
