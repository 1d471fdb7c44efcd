public import Foundation
public import PasteboardKit

extension NSString: ItemProviderReading {
    /// As `String`.
    public static var readableTypeIdentifiersForItemProvider: [String] { String.readableTypeIdentifiersForItemProvider }

    /// Makes a string from text, as `String` does.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        self.init(string: try String.object(withItemProviderData: data, typeIdentifier: typeIdentifier))
    }
}

extension NSString: NSPasteboardWriting {
    /// `public.utf8-plain-text`.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { [.string] }

    /// Returns the text.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { String(describing: self) }
}

extension UIPasteboard {
    /// Replaces the contents with strings, as with values of `String`.
    public func setObjects(
        _ objects: [NSString],
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) async throws(PasteboardError) {
        try await setObjects(objects.map { "\($0)" }, localOnly: localOnly, expirationDate: expirationDate)
    }
}
