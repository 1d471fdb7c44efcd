public import Foundation
import PasteboardKit
import PasteboardTransport

/// An object that names and writes promised files.
@preconcurrency public protocol NSFilePromiseProviderDelegate: AnyObject {
    /// Returns the name of the file, with its extension. It is called at each load.
    @MainActor func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider,
        fileNameForType fileType: String
    ) -> String
    /// Writes the file or folder at `url`, which is in a temporary directory, and calls the completion handler once,
    /// before or after it returns. An error reaches the destination as the source's own.
    nonisolated func filePromiseProvider(
        _ filePromiseProvider: NSFilePromiseProvider,
        writePromiseTo url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    )
    /// Returns the queue on which the file is written; by default the main one, as in AppKit.
    @MainActor func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue
}

extension NSFilePromiseProviderDelegate {
    /// Returns the main queue.
    public func operationQueue(for filePromiseProvider: NSFilePromiseProvider) -> OperationQueue { .main }
}

/// A promise of a file, as an object that ``NSPasteboard/writeObjects(_:)`` writes. Its delegate writes the file when a
/// program loads it, within 10 minutes.
open class NSFilePromiseProvider: NSObject, NSPasteboardWriting {
    /// The identifier of the file's type.
    open var fileType = ""
    /// The object that writes the file. The pasteboard references it while it has the promise.
    open weak var delegate: (any NSFilePromiseProviderDelegate)?
    /// A value for the delegate.
    open var userInfo: Any?

    /// Makes a promise without a type and a delegate.
    public override init() {}

    /// Makes a promise.
    public convenience init(fileType: String, delegate: any NSFilePromiseProviderDelegate) {
        self.init()
        self.fileType = fileType
        self.delegate = delegate
    }

    /// The type of the file, and one that marks a promise. A subclass may add types, whose data is written at once.
    open func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        [.init(fileType), .promisedFile]
    }

    /// Returns the file's type for the type that marks a promise, and otherwise nil.
    open func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        type == .promisedFile ? fileType : nil
    }

    /// Returns no options.
    open func writingOptions(
        forType type: NSPasteboard.PasteboardType,
        pasteboard: NSPasteboard
    ) -> NSPasteboard.WritingOptions { [] }

    /// The promise as it is written to a pasteboard.
    func itemProvider(for pasteboard: NSPasteboard) -> ItemProvider {
        let (provider, name, promise) = (ItemProvider(), pasteboard.name, Unchecked((self, delegate)))
        let connection = pasteboard.pasteboard.connection
        for type in writableTypes(for: pasteboard) {
            if type.rawValue == fileType {
                provider.registerFile(for: type.uniformType) { [weak connection] directory in
                    let pasteboard = connection.map { Pasteboard(name: name, connection: $0) }
                    return try await MainThread.asks(for: pasteboard) { try await Self.write(promise, into: directory) }
                }
            } else if let data = PropertyList.data(of: pasteboardPropertyList(forType: type)) {
                provider.registerDataRepresentation(for: type.uniformType) { data }
            }
        }
        return provider
    }

    private static func write(
        _ promise: Unchecked<(NSFilePromiseProvider, (any NSFilePromiseProviderDelegate)?)>,
        into directory: URL
    ) async throws -> URL {
        let (url, queue) = try await MainActor.run {
            guard case (let provider, let delegate?) = promise.value else {
                throw PasteboardError(.sourceFailed, message: "the file promise has no delegate")
            }
            let name = delegate.filePromiseProvider(provider, fileNameForType: provider.fileType)
            let url = directory.appending(path: name.replacingOccurrences(of: "/", with: "_"))
            return (url, delegate.operationQueue(for: provider))
        }
        let (ends, end) = AsyncStream.makeStream(of: (any Error)?.self, bufferingPolicy: .bufferingOldest(1))
        queue.addOperation {
            let (provider, delegate) = promise.value
            delegate?.filePromiseProvider(provider, writePromiseTo: url) { end.yield($0) }
        }
        for await error in ends {
            if let error { throw error }
            return url
        }
        throw CancellationError()
    }
}

extension NSPasteboard.PasteboardType {
    /// The type that marks a promised file. It follows the file's type, and its data is that type's identifier.
    static let promisedFile = Self("com.apple.pasteboard.promised-file-content-type")
}
