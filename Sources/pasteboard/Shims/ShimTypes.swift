import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// The types as programs for X and Wayland spell them.
enum ShimTypes {
    /// The spelling with which programs for X request the list of the types.
    static let list = "TARGETS"
    /// The argument of `copy -t` and `paste -t`, which names no file; nil for a spelling that can be no type.
    static func argument(_ spelling: String) -> String? {
        if DesktopNames.text.contains(spelling) || spelling == "COMPOUND_TEXT" { return "text" }
        if UniformType.family(named: spelling) != nil { return spelling }
        guard let type = UniformType.fromUserSpelling(spelling) ?? UniformType.fromName(spelling) else { return nil }
        // Any spelling of the parameters.
        return [.plainText, .utf8PlainText].contains(type) ? "text" : type.identifier
    }

    /// The types of a pasteboard, one in each line.
    static func lines(of listing: BoardListing) -> String {
        DesktopNames.names(of: listing).map { "\($0.name)\n" }.joined()
    }
}
