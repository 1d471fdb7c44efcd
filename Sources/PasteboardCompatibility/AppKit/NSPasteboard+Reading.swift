public import Foundation
public import PasteboardKit

// Reads of AppKit's pasteboard. They load, so the handlers of promises run. Promises of a source that has ended are
// left out.
extension NSPasteboard {
    /// The types of all items that can be loaded, each once, in the order of the items. It is never nil.
    public var types: [PasteboardType]? {
        get async throws(PasteboardError) { try await pasteboard.types.map { PasteboardType($0.identifier) } }
    }

    /// The items. It is never nil.
    public var pasteboardItems: [NSPasteboardItem]? {
        get async throws(PasteboardError) { try await pasteboard.contents().items.map { NSPasteboardItem($0) } }
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
        let readers = classes.compactMap { ObjectReader($0, from: self, options) }
        return try await pasteboard.contents().items.contains { item in readers.contains { $0.accepts(item) } }
    }

    /// Reads an object from each item, of the first of the classes that can read the item. Items that no class can read
    /// are left out.
    ///
    /// - Parameters:
    ///   - classes: `NSString`, `NSURL`, ``NSPasteboardItem`` and classes that conform to ``NSPasteboardReading``, best
    ///     first.
    ///   - options: rules for URLs.
    /// - Returns: the objects; never nil.
    /// - Throws: the error of a load.
    public func readObjects(
        forClasses classes: [AnyClass],
        options: [ReadingOptionKey: Any]? = nil
    ) async throws(PasteboardError) -> [Any]? {
        let readers = classes.compactMap { ObjectReader($0, from: self, options) }
        var objects: [Any] = []
        try await pasteboard.read(for: Call("the read of the pasteboard")) { (contents) throws(PasteboardError) in
            objects = []
            for item in contents.items {
                for reader in readers where reader.accepts(item) {
                    guard let object = try await reader.object(of: item) else { continue }
                    objects.append(object)
                    break
                }
            }
        }
        return objects
    }
}

extension PasteboardItem {
    /// Returns the type of the item that a load of `type` should have; nil if there is none that can be loaded.
    func loadable(_ type: UniformType) -> UniformType? {
        let types = self.types
        return types.first { $0 == type } ?? types.first { $0.conforms(to: type) }
    }

    func data(of type: UniformType) async throws(PasteboardError) -> Loaded<Data>? {
        guard let type = loadable(type) else { return nil }
        return try await itemProvider.loadData(forFirstOf: [type], preferring: .reader)
    }

    func text(of type: UniformType) async throws(PasteboardError) -> String? {
        try await data(of: type)?.text
    }
}
