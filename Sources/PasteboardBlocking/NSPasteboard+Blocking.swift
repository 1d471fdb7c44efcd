public import Foundation
public import PasteboardCompatibility
import PasteboardKit

// The members of the same names in PasteboardCompatibility, for code that cannot wait asynchronously: the current
// thread waits. Where those throw an error, these return nil, false or 0.
extension NSPasteboard {
    private func wait<Value: Sendable>(_ body: @escaping @Sendable (NSPasteboard) async throws -> Value) -> Value? {
        BlockingCall.value { try await body(self) }
    }

    private func load<Value: Sendable>(_ body: @escaping @Sendable (NSPasteboard) async throws -> Value?) -> Value? {
        BlockingCall.value(loadingFrom: pasteboard) { try await body(self) } ?? nil
    }

    /// Makes an empty pasteboard with a name that no other pasteboard has; if that fails, one that takes no contents.
    public static func withUniqueName() -> NSPasteboard {
        BlockingCall.value { try await NSPasteboard.withUniqueName() }
            ?? NSPasteboard(name: Name(""))
    }

    /// Clears the pasteboard and removes it.
    public func releaseGlobally() {
        _ = wait { try await $0.releaseGlobally() }
    }

    /// The number of the contents; 0 if the broker cannot be reached.
    public var changeCount: Int { wait { try await $0.count() } ?? 0 }

    // MARK: Writing

    /// Clears the pasteboard, to write to it.
    ///
    /// - Returns: the new change count.
    @discardableResult
    public func clearContents() -> Int {
        wait { try await $0.clearContents() } ?? 0
    }

    /// Clears the pasteboard, and sets options of the contents that are written then.
    ///
    /// - Returns: the new change count.
    @discardableResult
    public func prepareForNewContents(with options: ContentsOptions = []) -> Int {
        wait { try await $0.prepareForNewContents(with: options) } ?? 0
    }

    /// Replaces the contents with one item that has these types.
    ///
    /// - Parameters:
    ///   - types: the types, best first.
    ///   - owner: an `NSPasteboardTypeOwner`, which provides the data of types that are not set. If it is on the main
    ///     actor, and the main thread loads the data itself, the load fails.
    /// - Returns: the new change count.
    @discardableResult
    public func declareTypes(_ types: [PasteboardType], owner: Any?) -> Int {
        let owner = owner as? any NSPasteboardTypeOwner
        return wait { try await $0.declareTypes(types, owner: owner) } ?? 0
    }

    /// Adds types to the first item that this program has written.
    ///
    /// - Returns: the change count.
    @discardableResult
    public func addTypes(_ types: [PasteboardType], owner: Any?) -> Int {
        let owner = owner as? any NSPasteboardTypeOwner
        return wait { try await $0.addTypes(types, owner: owner) } ?? 0
    }

    /// Sets the data of a type of the first item.
    @discardableResult
    public func setData(_ data: Data?, forType type: PasteboardType) -> Bool {
        wait { try await $0.setData(data, forType: type) } ?? false
    }

    /// Sets the text of a type of the first item.
    @discardableResult
    public func setString(_ string: String, forType type: PasteboardType) -> Bool {
        setData(Data(string.utf8), forType: type)
    }

    /// Sets the property list of a type of the first item.
    @discardableResult
    public func setPropertyList(_ propertyList: Any, forType type: PasteboardType) -> Bool {
        setData(PropertyList.data(of: propertyList), forType: type)
    }

    /// Appends objects as items.
    @discardableResult
    public func writeObjects(_ objects: [any NSPasteboardWriting]) -> Bool {
        let items = written(objects)
        return wait { try await $0.write(items) } ?? false
    }

    // MARK: Reading

    /// The types of all items that can be loaded; nil if the broker cannot be reached.
    public var types: [PasteboardType]? { wait { try await $0.loadTypes() } }

    /// The items; nil if the broker cannot be reached.
    public var pasteboardItems: [NSPasteboardItem]? { wait { try await $0.loadItems() } }

    /// Returns the index of an item that was read; `NSNotFound` if the contents have been replaced.
    public func index(of pasteboardItem: NSPasteboardItem) -> Int {
        wait { try await $0.index(of: pasteboardItem) }
            ?? NSNotFound
    }

    /// Returns the first of these types that an item can be loaded as; nil if there is none.
    public func availableType(from types: [PasteboardType]) -> PasteboardType? {
        wait { try await $0.availableType(from: types) } ?? nil
    }

    /// Whether an item can be loaded as one of these types.
    public func canReadItem(withDataConformingToTypes types: [String]) -> Bool {
        availableType(from: types.map { PasteboardType($0) }) != nil
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    public func data(forType type: PasteboardType) -> Data? {
        load { try await $0.data(forType: type) }
    }

    /// Returns the text of all items that have a type, joined by newlines; nil if there is none.
    public func string(forType type: PasteboardType) -> String? {
        load { try await $0.string(forType: type) }
    }

    /// Returns the property list of a type, which may be a text; nil if there is none.
    public func propertyList(forType type: PasteboardType) -> Any? {
        data(forType: type).flatMap(PropertyList.value)
    }

    /// Whether an item has a type that one of the classes reads.
    public func canReadObject(forClasses classes: [AnyClass], options: [ReadingOptionKey: Any]? = nil) -> Bool {
        let readers = readers(classes, options)
        return pasteboardItems?.contains { item in readers.contains { $0.accepts(item) } } ?? false
    }

    /// Reads an object from each item, of the first of the classes that can read the item. The objects are made on the
    /// current thread. Items that cannot be read are left out.
    public func readObjects(forClasses classes: [AnyClass], options: [ReadingOptionKey: Any]? = nil) -> [Any]? {
        let readers = readers(classes, options)
        return pasteboardItems?.compactMap { item in
            for reader in readers where reader.accepts(item) {
                if let object = (try? reader.object(of: item, item.load(reader.loadedType(of: item)))) ?? nil {
                    return object
                }
            }
            return nil
        }
    }
}

// As for a pasteboard.
extension NSPasteboardItem {
    fileprivate func load(_ type: UniformType?) -> Loaded<Data>? {
        guard let read, let type else { return nil }
        let loaded = BlockingCall.value(loadingFrom: read.pasteboard) {
            try await read.item.data(of: type)
        }
        return loaded ?? nil
    }

    /// Returns the bytes of a type; nil if the item does not have it.
    public func data(forType type: NSPasteboard.PasteboardType) -> Data? {
        read == nil ? pasteboardPropertyList(forType: type) as? Data : load(type.uniformType)?.value
    }

    /// Returns the text of a type; nil if the item does not have it.
    public func string(forType type: NSPasteboard.PasteboardType) -> String? {
        guard read != nil else { return data(forType: type).map { String(decoding: $0, as: UTF8.self) } }
        return try? load(type.uniformType)?.text
    }

    /// Returns the property list of a type, which may be a text; nil if the item does not have it.
    public func propertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        data(forType: type).flatMap(PropertyList.value)
    }
}
