public import Foundation
public import PasteboardKit

extension NSURL: ItemProviderReading {
    /// As `URL`.
    public static var readableTypeIdentifiersForItemProvider: [String] { URL.readableTypeIdentifiersForItemProvider }

    /// Makes a URL from its text, as `URL` does.
    ///
    /// - Throws: a `PasteboardError` of code `source-failed` if the text is not a URL.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let url = try URL.object(withItemProviderData: data, typeIdentifier: typeIdentifier)
        guard let object = NSURL(string: url.absoluteString) as? Self else {
            throw PasteboardError(.sourceFailed, message: "\(url.absoluteString) is not a URL")
        }
        return object
    }
}

extension NSURL: NSPasteboardWriting {
    /// `public.url`; for a file URL, `public.file-url` before it.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        isFileURL ? [.fileURL, .URL] : [.URL]
    }

    /// Returns the absolute URL as text.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { absoluteString }
}

extension UIPasteboard {
    /// Replaces the contents with URLs, as with values of `URL`.
    public func setObjects(
        _ objects: [NSURL],
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) async throws(PasteboardError) {
        try await setObjects(objects.map { $0 as URL }, localOnly: localOnly, expirationDate: expirationDate)
    }
}
