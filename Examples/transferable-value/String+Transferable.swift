import FoundationEssentials
import PasteboardKit

extension String: Transferable {
    /// Exported in UTF-8, imported as plain text in any encoding.
    static var representations: [Representation<String>] {
        var plainText = Representation<String>([.plainText])
        plainText.load = { provider in try await provider.load(String.self) }
        return [.data(.utf8PlainText, exporting: { text in Data(text.utf8) }), plainText]
    }
}
