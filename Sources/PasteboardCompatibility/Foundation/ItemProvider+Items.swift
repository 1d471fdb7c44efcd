public import Foundation
public import PasteboardKit

// Items are values whose class the type determines. Other processes receive their bytes, as those of all
// representations.
extension ItemProvider {
    /// The handler that receives an item or an error.
    public typealias CompletionHandler = @Sendable (_ item: (any NSSecureCoding)?, _ error: (any Error)?) -> Void

    /// The handler that makes an item. The expected class and the options are always nil.
    public typealias LoadHandler =
        @Sendable (
            _ completionHandler: CompletionHandler?, _ expectedValueClass: AnyClass?, _ options: [AnyHashable: Any]?
        ) -> Void

    /// Makes a provider from an item.
    ///
    /// - Parameters:
    ///   - item: a URL, text, data, or a property list; nil: the provider is empty. Of a file URL, the contents of the
    ///     file are offered, read at each load, unless the type is that of a URL.
    ///   - typeIdentifier: the type; nil: `public.data`.
    public convenience init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
        self.init()
        let typeIdentifier = typeIdentifier ?? UniformType.data.identifier
        if let file = item as? URL {
            registerItem(forTypeIdentifier: typeIdentifier) { completion, _, _ in completion?(file, nil) }
        } else if let item {
            let bytes = Result { try item.bytes(as: UniformType(importedAs: typeIdentifier)) }
            registerDataRepresentation(for: UniformType(importedAs: typeIdentifier)) { try bytes.get() }
        }
    }

    /// Promises the item as a type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type.
    ///   - loadHandler: makes the item at each load, as in ``init(item:typeIdentifier:)``. It calls its completion
    ///     handler once, before or after it returns, with the item or an error.
    public func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        let type = UniformType(importedAs: typeIdentifier)
        registerDataRepresentation(for: type) { completion in
            let receive: CompletionHandler = { item, error in
                do {
                    completion(try item?.bytes(as: type), error)
                } catch {
                    completion(nil, error)
                }
            }
            loadHandler(receive, nil, nil)
            return nil
        }
    }

    /// Loads an item, as share extensions do. Casts to both the value and its object succeed, for example to `URL` and
    /// `NSURL`.
    ///
    /// | type | item |
    /// | --- | --- |
    /// | `public.url`, `public.file-url` | `URL` |
    /// | plain text | `String` |
    /// | property list | dictionary, array, `String` or `NSNumber` |
    /// | folder, movie, sound, and each type of a provider that was made for a file | `URL` of a copy |
    /// | other | `Data` |
    ///
    /// The copy is in the directory for temporary files, and is not removed by the library.
    ///
    /// Cancelling the task cancels the load, which then throws `cancelled`.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the requested type; a type that conforms to it is accepted, too.
    ///   - options: makes no difference.
    /// - Throws: a ``PasteboardKit/PasteboardError``, or the error of the property list or the copy.
    public func loadItem(
        forTypeIdentifier typeIdentifier: String,
        options: [AnyHashable: Any]? = nil
    ) async throws -> sending any NSSecureCoding {
        let requested = UniformType(importedAs: typeIdentifier)
        // A load finds the same type, or fails.
        let type = bestType(of: [requested], preferring: .reader) ?? requested
        let isFile = type.conforms(to: .audiovisualContent) || type.conforms(to: .directory) || isMadeForFile(type)
        if isFile {
            return try await withLoadedFile(for: type) { loaded in
                let directory = URL.temporaryDirectory.appending(component: UUID().uuidString)
                let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
                let files = FileManager.default
                try files.createDirectory(at: directory, withIntermediateDirectories: true, attributes: attributes)
                let copy = directory.appending(component: loaded.value.lastPathComponent)
                do {
                    try await loaded.move(to: copy)
                } catch {
                    try? files.removeItem(at: directory)
                    throw error
                }
                return copy
            }
        }
        let data = try await loadData(for: type)
        if type.conforms(to: .url) {
            return try URL.object(withItemProviderData: data, typeIdentifier: type.identifier)
        }
        if type.conforms(to: .plainText) {
            return try String.object(withItemProviderData: data, typeIdentifier: type.identifier)
        }
        guard type.conforms(to: .propertyList) else { return data }
        switch try PropertyListSerialization.propertyList(from: data, format: nil) {
        case let list as [String: Any]: return list
        case let list as [Any]: return list
        case let text as String: return text
        case let number as NSNumber: return number
        default: return data
        }
    }

    /// Loads an item, as ``loadItem(forTypeIdentifier:options:)`` does, and calls the completion handler once, on a
    /// thread of the library.
    public func loadItem(
        forTypeIdentifier typeIdentifier: String,
        options: [AnyHashable: Any]? = nil,
        completionHandler: CompletionHandler?
    ) {
        _ = startLoad { _ in
            try await self.loadItem(forTypeIdentifier: typeIdentifier)
        } completion: { result in
            switch result {
            case .success(let item): completionHandler?(item, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }
}

extension NSSecureCoding {
    /// The bytes of an item. The file is read if a file URL is offered as another type than that of a URL.
    fileprivate func bytes(as type: UniformType) throws -> Data {
        switch self {
        case let url as URL where url.isFileURL && !type.conforms(to: .url): try Data(contentsOf: url)
        case let url as URL: Data(url.absoluteString.utf8)
        case let text as String: Data(text.utf8)
        case let data as Data: data
        default: try PropertyListSerialization.data(fromPropertyList: self, format: .binary, options: 0)
        }
    }
}
