public import Foundation
import PasteboardKit
public import TypeIdentifiers

/// A representation as bytes. They are made at each load, and read from the type or one that conforms to it.
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
    /// The only form.
    public let forms: [TransferForm<Item>]

    /// Exports and imports items as bytes of a type.
    public init(
        contentType: UniformType,
        exporting: @escaping @Sendable (Item) async throws -> Data,
        importing: @escaping @Sendable (Data) async throws -> Item
    ) {
        self.init(contentType, exporting, importing)
    }

    /// Exports items as bytes of a type.
    public init(exportedContentType: UniformType, exporting: @escaping @Sendable (Item) async throws -> Data) {
        self.init(exportedContentType, exporting, nil)
    }

    /// Imports items from bytes of a type.
    public init(importedContentType: UniformType, importing: @escaping @Sendable (Data) async throws -> Item) {
        self.init(importedContentType, nil, importing)
    }

    private init(
        _ type: UniformType,
        _ exporting: (@Sendable (Item) async throws -> Data)?,
        _ importing: (@Sendable (Data) async throws -> Item)?
    ) {
        var form = TransferForm<Item>(types: [type])
        if let exporting {
            form.export = { provider, visibility, item in
                provider.registerDataRepresentation(for: type, visibility: visibility) { try await exporting(item()) }
            }
        }
        if let importing {
            form.load = { try await importing($0.loadData(for: type, progress: $1)) }
        }
        forms = [form]
    }
}
