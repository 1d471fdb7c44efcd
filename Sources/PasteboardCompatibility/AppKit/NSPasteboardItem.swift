public import Foundation
import PasteboardKit

/// One item of a pasteboard in the shape of AppKit's: an item that was read, or one that is to be written with
/// ``NSPasteboard/writeObjects(_:)``.
public final class NSPasteboardItem: NSPasteboardWriting {
    /// The item that was read.
    private let item: PasteboardItem?
    private var values: [(type: NSPasteboard.PasteboardType, data: Data)] = []

    /// Makes an item without types.
    public init() {
        item = nil
    }

    init(_ item: PasteboardItem) {
        self.item = item
    }

    /// The types in which the item can be loaded, or that were set, best first. Types of a source that has ended are
    /// left out.
    public var types: [NSPasteboard.PasteboardType] {
        guard let item else { return values.map(\.type) }
        return item.types.map { .init($0) }
    }

    /// Returns the first of these types that the item has, or of which it has a conforming one; nil if there is none.
    public func availableType(from types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        let present = self.types.map(\.uniformType)
        return types.first { type in present.contains { $0.conforms(to: type.uniformType) } }
    }

    /// Sets the data of a type. It has no effect on an item that was read or written.
    ///
    /// - Returns: false for an item that was read.
    @discardableResult
    public func setData(_ data: Data, forType type: NSPasteboard.PasteboardType) -> Bool {
        guard item == nil else { return false }
        if let index = values.firstIndex(where: { $0.type == type }) {
            values[index].data = data
        } else {
            values.append((type, data))
        }
        return true
    }

    /// Sets the text of a type, in UTF-8.
    ///
    /// - Returns: as ``setData(_:forType:)``.
    @discardableResult
    public func setString(_ string: String, forType type: NSPasteboard.PasteboardType) -> Bool {
        setData(Data(string.utf8), forType: type)
    }

    /// Sets the property list of a type.
    ///
    /// - Returns: as ``setData(_:forType:)``; false also if the value is no property list.
    @discardableResult
    public func setPropertyList(_ propertyList: Any, forType type: NSPasteboard.PasteboardType) -> Bool {
        PropertyList.data(of: propertyList).map { setData($0, forType: type) } ?? false
    }

    /// Returns the bytes of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load.
    public func data(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> Data? {
        guard let item else { return values.first { $0.type == type }?.data }
        return try await item.data(of: type.uniformType)?.value
    }

    /// Returns the text of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load, or `source-failed` if the bytes are not text.
    public func string(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> String? {
        guard let item else { return try await data(forType: type).map { String(decoding: $0, as: UTF8.self) } }
        return try await item.text(of: type.uniformType)
    }

    /// Returns the property list of a type, which may be a text; nil if the item does not have it.
    ///
    /// - Throws: the error of the load.
    public func propertyList(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> Any? {
        try await data(forType: type).flatMap { PropertyList.value(of: $0) }
    }

    /// The types that were set.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { values.map(\.type) }

    /// Returns the data that was set for a type.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? {
        values.first { $0.type == type }?.data
    }
}
