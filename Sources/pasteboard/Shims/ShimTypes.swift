import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// The types as programs for X and Wayland spell them.
enum ShimTypes {
    /// The spelling with which programs for X request the list of the types.
    static let list = "TARGETS"
    /// The spellings of plain text that are listed for each text.
    private static let text = ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT"]

    /// The spelling for `copy -t` and `paste -t`.
    static func argument(_ spelling: String) -> String {
        text.contains(spelling) || spelling == "COMPOUND_TEXT" ? "text" : spelling
    }

    /// The types of a pasteboard, one in each line.
    static func lines(of listing: BoardListing) -> String {
        var lines: [String] = []
        for representation in listing.items.lazy.flatMap(\.representations) {
            let type = UniformType(of: representation)
            let own = type.preferredMIMEType ?? type.identifier
            lines += [own] + (type.conforms(to: .text) ? text : [])
        }
        var known: Set<String> = []
        return lines.filter { known.insert($0).inserted }.map { "\($0)\n" }.joined()
    }
}
