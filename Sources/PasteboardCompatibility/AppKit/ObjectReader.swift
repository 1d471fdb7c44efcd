import Foundation
package import PasteboardKit

/// A class as `readObjects` of a pasteboard uses it.
package struct ObjectReader {
    private enum Class {
        case text
        case url(filesOnly: Bool, contentTypes: [UniformType]?)
        case item
        case promise
        case reading(any NSPasteboardReading.Type, NSPasteboard)
    }

    private let aClass: Class
    private let types: [UniformType]

    /// - Returns: nil for a class that reads nothing.
    init?(_ aClass: AnyClass, from pasteboard: NSPasteboard, _ options: [NSPasteboard.ReadingOptionKey: Any]?) {
        if aClass == NSString.self {
            self.aClass = .text
            types = String.readableTypes
        } else if aClass == NSURL.self {
            let identifiers = options?[.urlReadingContentsConformToTypes] as? [String]
            let filesOnly = options?[.urlReadingFileURLsOnly] as? Bool ?? (identifiers != nil)
            self.aClass = .url(filesOnly: filesOnly, contentTypes: identifiers?.map { UniformType(importedAs: $0) })
            types = [filesOnly ? .fileURL : .url]
        } else if aClass == NSPasteboardItem.self {
            self.aClass = .item
            types = []
        } else if aClass is NSFilePromiseReceiver.Type {
            self.aClass = .promise
            types = []
        } else if let reading = aClass as? any NSPasteboardReading.Type {
            self.aClass = .reading(reading, pasteboard)
            types = reading.readableTypes(for: pasteboard).map(\.uniformType)
        } else {
            return nil
        }
    }

    /// Whether the class reads one of the item's types.
    package func accepts(_ item: NSPasteboardItem) -> Bool {
        switch aClass {
        case .item: true
        case .promise: item.read?.item.promisedFileType != nil
        case .text, .url, .reading: loadedType(of: item) != nil
        }
    }

    /// The type that is loaded to make the object; nil if nothing is loaded.
    package func loadedType(of item: NSPasteboardItem) -> UniformType? {
        types.first { item.read?.item.loadable($0) != nil }
    }

    /// Returns the object; nil if the bytes describe none.
    package func object(of item: NSPasteboardItem, _ loaded: Loaded<Data>?) throws(PasteboardError) -> Any? {
        if case .item = aClass { return item }
        if case .promise = aClass { return item.read.flatMap { NSFilePromiseReceiver($0.item) } }
        guard let loaded, let type = loadedType(of: item) else { return nil }
        switch aClass {
        case .item, .promise: return nil
        case .text: return NSString(string: try loaded.text)
        case .url(let filesOnly, let contentTypes):
            let url = try? URL.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
            guard let url, !filesOnly || url.isFileURL else { return nil }
            if let contentTypes {
                guard let type = UniformType(filenameExtension: url.pathExtension) else { return nil }
                guard contentTypes.contains(where: { type.conforms(to: $0) }) else { return nil }
            }
            return NSURL(string: url.absoluteString)
        case .reading(let reading, let pasteboard):
            let type = NSPasteboard.PasteboardType(type.identifier)
            let options = reading.readingOptions(forType: type, pasteboard: pasteboard)
            let value: Any?
            if options.contains(.asString) {
                value = try loaded.text
            } else if options.contains(.asPropertyList) {
                value = PropertyList.value(of: loaded.value)
            } else {
                value = loaded.value
            }
            return value.flatMap { reading.init(pasteboardPropertyList: $0, ofType: type) }
        }
    }
}
