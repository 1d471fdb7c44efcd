public import Foundation
import PasteboardKit
public import TypeIdentifiers

/// A representation as a file or folder.
///
/// A file is exported at each load. The library opens the file as soon as the closure returns it,
/// and never removes it; a destination gets a copy. An
/// imported copy is removed when the closure returns: move or copy it to keep it.
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
    /// The only form.
    public let forms: [TransferForm<Item>]

    /// Exports and imports items as files of a type. An import gets the source's own file, for reading, if it attempts
    /// to open files in place and the source allows it.
    public init(
        contentType: UniformType,
        shouldAttemptToOpenInPlace: Bool = false,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {
        self.init(contentType, shouldAttemptToOpenInPlace, exporting, importing)
    }

    /// Exports items as files of a type. `shouldAllowToOpenInPlace` has no effect: a destination gets a copy.
    public init(
        exportedContentType: UniformType,
        shouldAllowToOpenInPlace: Bool = false,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
    ) {
        self.init(exportedContentType, false, exporting, nil)
    }

    /// Imports items from files of a type. An import gets the source's own file, for reading, if it attempts to open
    /// files in place and the source allows it.
    public init(
        importedContentType: UniformType,
        shouldAttemptToOpenInPlace: Bool = false,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {
        self.init(importedContentType, shouldAttemptToOpenInPlace, nil, importing)
    }

    private init(
        _ type: UniformType,
        _ isInPlace: Bool,
        _ exporting: (@Sendable (Item) async throws -> SentTransferredFile)?,
        _ importing: (@Sendable (ReceivedTransferredFile) async throws -> Item)?
    ) {
        var form = TransferForm<Item>(types: [type])
        if let exporting {
            form.export = { provider, visibility, item in
                provider.registerFileRepresentation(for: type, visibility: visibility) {
                    try await exporting(item()).file
                }
            }
        }
        if let importing {
            form.load = { provider, progress in
                try await provider.withLoadedFile(for: type, openInPlace: isInPlace, progress: progress) {
                    try await importing(ReceivedTransferredFile(file: $0.value, isOriginalFile: $0.isInPlace))
                }
            }
        }
        forms = [form]
    }
}

/// A file or folder that a representation exports.
public struct SentTransferredFile: Sendable {
    /// The URL of the file.
    public let file: URL
    /// Whether a destination may open the file itself. It has no effect: a destination gets a copy.
    public let allowAccessingOriginalFile: Bool

    /// Describes a file.
    public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
        self.file = file
        self.allowAccessingOriginalFile = allowAccessingOriginalFile
    }
}

/// A file or folder from which a representation imports.
public struct ReceivedTransferredFile: Sendable {
    /// The URL of the file.
    public let file: URL
    /// Whether it is the source's own file, which may only be read.
    public let isOriginalFile: Bool
}
