import FoundationEssentials
import PasteboardKit
import PlacesModel

/// What the target takes, and how bytes become a place: plain text that is UTF-8 and not empty.
enum PlaceAcceptance {
    static let type = UniformType.plainText

    static func accepts(_ item: PasteboardItem) -> Bool {
        item.itemProvider.hasItemConformingToTypeIdentifier(type.identifier)
    }

    static func place(from data: Data) -> Place? {
        guard let name = String(data: data, encoding: .utf8), !name.isEmpty else { return nil }
        return Place(name: name)
    }
}
