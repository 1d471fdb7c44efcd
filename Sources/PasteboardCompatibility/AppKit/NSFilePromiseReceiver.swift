public import Foundation
import PasteboardKit
import PasteboardTransport

/// A promised file that ``NSPasteboard/readObjects(forClasses:options:)`` has read. It stands for a promise of
/// ``NSFilePromiseProvider``, and for a file that any other program offers.
///
/// An item without a promise of ``NSFilePromiseProvider`` is a file if it has no URL, and has either a suggested name
/// or types that are all promised and are not text. So copied text, URLs and the bytes of an image are read as other
/// classes, as in AppKit.
open class NSFilePromiseReceiver: NSObject, NSPasteboardReading {
    private let promise: (item: PasteboardItem, type: UniformType)?
    private let names = Lock<[String]>([])

    /// Makes a receiver that receives nothing.
    public override init() {
        promise = nil
    }

    /// Returns nil: a receiver is made of an item.
    public required init?(pasteboardPropertyList propertyList: Any, ofType type: NSPasteboard.PasteboardType) {
        return nil
    }

    init?(_ item: PasteboardItem) {
        guard let type = item.promisedFileType else { return nil }
        promise = (item, type)
    }

    /// The type that marks a promise of ``NSFilePromiseProvider``.
    open class var readableDraggedTypes: [String] { [NSPasteboard.PasteboardType.promisedFile.rawValue] }

    /// The types of ``readableDraggedTypes``.
    open class func readableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] {
        readableDraggedTypes.map { .init($0) }
    }

    /// The type of the file, as the only element.
    open var fileTypes: [String] { promise.map { [$0.type.identifier] } ?? [] }

    /// The name of the file, as the only element; before the call that receives the file, empty. The name may change
    /// until the file has arrived.
    open var fileNames: [String] { names.withLock { $0 } }

    /// Loads the file into a directory, and calls `reader` once, on a queue.
    ///
    /// - Parameters:
    ///   - destinationDir: an existing directory. A file there is never replaced: if the name is taken, the new file is
    ///     called `name 2.txt` and so on.
    ///   - options: has no effect, as in AppKit.
    ///   - operationQueue: the queue.
    ///   - reader: receives the URL of the file, which the program owns, and nil; or the URL that the file would have
    ///     had, and the error of the load.
    open func receivePromisedFiles(
        atDestination destinationDir: URL,
        options: [AnyHashable: Any] = [:],
        operationQueue: OperationQueue,
        reader: @escaping (URL, (any Error)?) -> Void
    ) {
        guard let (item, type) = promise else { return }
        let name = item.itemProvider.suggestedName ?? "promised"
        names.withLock { $0 = [name] }
        let received = Unchecked((receiver: self, reader: reader))
        Task {
            var (url, failure): (URL, (any Error)?) = (destinationDir.appending(path: name), nil)
            do {
                url = try await item.itemProvider.withLoadedFile(for: type, in: destinationDir) {
                    try await $0.move(into: destinationDir)
                }
            } catch {
                failure = error
            }
            received.value.receiver.names.withLock { [url] in $0 = [url.lastPathComponent] }
            operationQueue.addOperation { [url, failure] in received.value.reader(url, failure) }
        }
    }
}

extension PasteboardItem {
    /// The type of the file that the item promises, as ``NSFilePromiseReceiver`` says; nil if it promises none.
    var promisedFileType: UniformType? {
        let (types, isNamed) = (self.types, itemProvider.suggestedName != nil)
        if let mark = types.firstIndex(of: NSPasteboard.PasteboardType.promisedFile.uniformType), mark > 0 {
            return types[mark - 1]
        }
        let isOther = types.contains { $0.conforms(to: .url) || !isNamed && $0.conforms(to: .text) }
        guard !isOther, isNamed || representations.allSatisfy({ $0.state == .promised }) else { return nil }
        return types.first { $0.conforms(to: .data) || $0.conforms(to: .directory) }
    }
}
