import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// The types as programs for X and Wayland spell them.
enum ShimTypes {
    /// The spelling with which programs for X request the list of the types.
    static let list = "TARGETS"
    /// The spellings of plain text that are listed for each text.
    private static let text = ["text/plain;charset=utf-8", "text/plain", "UTF8_STRING", "STRING", "TEXT"]

    /// The argument of `copy -t` and `paste -t`, which names no file; nil for a spelling that can be no type.
    static func argument(_ spelling: String) -> String? {
        if text.contains(spelling) || spelling == "COMPOUND_TEXT" { return "text" }
        if UniformType.family(named: spelling) != nil { return spelling }
        guard let type = UniformType.fromUserSpelling(spelling) ?? UniformType.fromName(spelling) else { return nil }
        // Any spelling of the parameters.
        return [.plainText, .utf8PlainText].contains(type) ? "text" : type.identifier
    }

    /// The types of a pasteboard, one in each line.
    static func lines(of listing: BoardListing) -> String {
        var lines: [String] = []
        for representation in listing.items.lazy.flatMap(\.representations) where representation.provision != .gone {
            let type = UniformType(of: representation)
            lines += type.names + (type.isText && TextReader.reads(type) ? text : [])
        }
        if FileList(of: listing.items) != nil { lines += FileList.types.flatMap(\.names) }
        var known: Set<String> = []
        return lines.filter { known.insert($0).inserted }.map { "\($0)\n" }.joined()
    }
}
