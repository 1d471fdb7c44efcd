public import Foundation
public import PasteboardKit

// Reads of AppKit's pasteboard. They load, so the handlers of promises run. Promises of a source that has ended are
// left out.
extension NSPasteboard {
    /// The types of all items that can be loaded, each once, in the order of the items. It is never nil.
    public var types: [PasteboardType]? {
        get async throws(PasteboardError) { try await loadTypes() }
    }

    package func loadTypes() async throws(PasteboardError) -> [PasteboardType] {
        try await pasteboard.types.map { PasteboardType($0) }
    }

    /// The items. It is never nil.
    public var pasteboardItems: [NSPasteboardItem]? {
        get async throws(PasteboardError) { try await loadItems() }
    }

    package func loadItems() async throws(PasteboardError) -> [NSPasteboardItem] {
        items(of: try await pasteboard.contents())
    }

    private func items(of contents: Pasteboard.Contents) -> [NSPasteboardItem] {
        contents.items.map {
            NSPasteboardItem(.init(item: $0, pasteboard: pasteboard, changeCount: contents.changeCount))
        }
    }

    /// Returns the index of an item that was read; `NSNotFound` if the contents have been replaced.
    public func index(of pasteboardItem: NSPasteboardItem) async throws(PasteboardError) -> Int {
        guard let read = pasteboardItem.read, read.pasteboard.name == name else { return NSNotFound }
        return try await pasteboard.changeCount == read.changeCount ? read.item.id : NSNotFound
    }

    /// Returns the first of these types that an item can be loaded as; nil if there is none.
    public func availableType(from types: [PasteboardType]) async throws(PasteboardError) -> PasteboardType? {
        let present = try await pasteboard.contents().types
        return types.first { type in present.contains { $0.conforms(to: type.uniformType) } }
    }

    /// Whether an item can be loaded as one of these types.
    public func canReadItem(withDataConformingToTypes types: [String]) async throws(PasteboardError) -> Bool {
        try await availableType(from: types.map { PasteboardType($0) }) != nil
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Throws: the error of the load.
    public func data(forType type: PasteboardType) async throws(PasteboardError) -> Data? {
        try await pasteboard.loadData(for: type.uniformType)
    }

    /// Returns the text of all items that have a type, joined by newlines; nil if there is none.
    ///
    /// - Throws: the error of a load, or `source-failed` if the bytes are not text.
    public func string(forType type: PasteboardType) async throws(PasteboardError) -> String? {
        try await pasteboard.read(for: Call("the read of the pasteboard")) { (contents) throws(PasteboardError) in
            var texts: [String] = []
            for item in contents.items {
                if let text = try await item.text(of: type.uniformType) { texts.append(text) }
            }
            return texts.isEmpty ? nil : texts.joined(separator: "\n")
        }
    }

    /// Returns the property list of a type, which may be a text; nil if no item has the type or if the bytes are
    /// neither.
    ///
    /// - Throws: the error of the load.
    public func propertyList(forType type: PasteboardType) async throws(PasteboardError) -> Any? {
        try await data(forType: type).flatMap { PropertyList.value(of: $0) }
    }

    /// Options of ``readObjects(forClasses:options:)``.
    public struct ReadingOptionKey: Hashable, Sendable {
        private let name: String

        /// A `Bool`: whether only file URLs are read as URLs.
        public static let urlReadingFileURLsOnly = ReadingOptionKey(name: "urlReadingFileURLsOnly")
        /// A `[String]`: the types of files that are read as URLs. The extension of a file determines its type.
        public static let urlReadingContentsConformToTypes = ReadingOptionKey(name: "urlReadingContentsConformToTypes")
    }

    /// Whether an item has a type that one of the classes reads. Nothing is loaded, so the types of the files that URLs
    /// refer to are not considered.
    public func canReadObject(
        forClasses classes: [AnyClass],
        options: [ReadingOptionKey: Any]? = nil
    ) async throws(PasteboardError) -> Bool {
        let readers = readers(classes, options)
        return try await loadItems().contains { item in readers.contains { $0.accepts(item) } }
    }

    /// Reads an object from each item, of the first of the classes that can read the item. Items that no class can read
    /// are left out.
    ///
    /// - Parameters:
    ///   - classes: `NSString`, `NSURL`, ``NSPasteboardItem``, ``NSFilePromiseReceiver`` and classes that conform to
    ///     ``NSPasteboardReading``, best first.
    ///   - options: rules for URLs.
    /// - Returns: the objects; never nil.
    /// - Throws: the error of a load.
    public func readObjects(
        forClasses classes: [AnyClass],
        options: [ReadingOptionKey: Any]? = nil
    ) async throws(PasteboardError) -> [Any]? {
        let readers = readers(classes, options)
        var objects: [Any] = []
        try await pasteboard.read(for: Call("the read of the pasteboard")) { (contents) throws(PasteboardError) in
            objects = []
            for item in items(of: contents) {
                for reader in readers where reader.accepts(item) {
                    var loaded: Loaded<Data>?
                    if let type = reader.loadedType(of: item) { loaded = try await item.read?.item.data(of: type) }
                    guard let object = try reader.object(of: item, loaded) else { continue }
                    objects.append(object)
                    break
                }
            }
        }
        return objects
    }

    package func readers(_ classes: [AnyClass], _ options: [ReadingOptionKey: Any]?) -> [ObjectReader] {
        classes.compactMap { ObjectReader($0, from: self, options) }
    }
}

extension PasteboardItem {
    /// Returns the type of the item that a load of `type` should have; nil if there is none that can be loaded.
    func loadable(_ type: UniformType) -> UniformType? {
        let types = self.types
        return types.first { $0 == type } ?? types.first { $0.conforms(to: type) }
    }

    package func data(of type: UniformType) async throws(PasteboardError) -> Loaded<Data>? {
        guard let type = loadable(type) else { return nil }
        return try await itemProvider.loadData(forFirstOf: [type], preferring: .reader)
    }

    package func text(of type: UniformType) async throws(PasteboardError) -> String? {
        try await data(of: type)?.text
    }
}
