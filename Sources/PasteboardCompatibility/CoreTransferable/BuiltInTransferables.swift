public import Foundation
import PasteboardKit

extension String: Transferable {
    /// Exported in UTF-8, and imported from plain text in any encoding.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.utf8) }
        ObjectRepresentation()
    }
}

extension Data: Transferable {
    /// Exported as `public.data`, and imported from all types that have bytes.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(contentType: .data, exporting: { $0 }, importing: { $0 })
    }
}

extension URL: Transferable {
    /// Exported as a URL; a file URL also as `public.file-url`.
    public static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .fileURL) { Data($0.absoluteString.utf8) }.exportingCondition(
            \.isFileURL
        )
        DataRepresentation(exportedContentType: .url) { Data($0.absoluteString.utf8) }
        ObjectRepresentation()
    }
}

/// The import of an object from all types that its class reads.
private struct ObjectRepresentation<Item: Transferable & ItemProviderReading>: TransferRepresentation {
    var forms: [TransferForm<Item>] {
        let types = Item.readableTypeIdentifiersForItemProvider.map { UniformType(importedAs: $0) }
        return [TransferForm(types: types, load: { try await $0.load(Item.self, progress: $1) })]
    }
}
