// Shows what a pasteboard holds to somebody who knows only public types: `json`, whatever is JSON in any program's own
// format, or `text`.
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
        guard item.hasItemConformingToTypeIdentifier(wanted.identifier) else {
            print("destination: nothing here is \(wanted)")
            continue
        }
        // The type that came is not the one that was asked for, but one of its kinds; nothing here declares it.
        let loaded = try await item.loadData(for: wanted)
        let supertypes = loaded.type.supertypes.map(\.identifier).sorted().joined(separator: ", ")
        print("destination: \(item.suggestedName ?? "an item") came as \(loaded.type), which is \(supertypes)")
        print(String(decoding: loaded.value, as: UTF8.self))
    }
} catch {
    print("destination:", error)
    exit(1)
}
