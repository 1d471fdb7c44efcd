public import Foundation
package import PasteboardKit
import PasteboardTransport

/// An object that provides data of an item when a program loads it.
@preconcurrency public protocol NSPasteboardItemDataProvider: AnyObject, Sendable {
    /// Provides the data of a type: the method sets it with ``NSPasteboardItem/setData(_:forType:)`` of `item` before
    /// it returns. It is called when a program loads the type for the first time; the broker then keeps the data.
    ///
    /// - Throws: an error, which reaches the destination as the source's own.
    func pasteboard(
        _ pasteboard: NSPasteboard?,
        item: NSPasteboardItem,
        provideDataForType type: NSPasteboard.PasteboardType
    ) async throws
    /// Called once when the pasteboard no longer has the item. Does nothing by default.
    func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) async
}

extension NSPasteboardItemDataProvider {
    /// Does nothing.
    public func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) async {}
}

/// One item of a pasteboard in the shape of AppKit's: an item that was read, or one that is to be written with
/// ``NSPasteboard/writeObjects(_:)``.
public final class NSPasteboardItem: NSPasteboardWriting, IdentityHashable, Sendable {
    private struct Value {
        let type: NSPasteboard.PasteboardType
        var data: Data?
        var provider: (any NSPasteboardItemDataProvider)?
    }

    /// The contents of which an item was read.
    package struct Origin: Sendable {
        package let item: PasteboardItem
        package let pasteboard: Pasteboard
        let changeCount: ChangeCount
    }

    package let read: Origin?
    private let values = Lock<[Value]>([])

    /// Makes an item without types.
    public init() {
        read = nil
    }

    package init(_ read: Origin) {
        self.read = read
    }

    /// The types in which the item can be loaded, or that were set, best first. Types of a source that has ended are
    /// left out.
    public var types: [NSPasteboard.PasteboardType] {
        guard let read else { return values.withLock { $0.map(\.type) } }
        return read.item.types.map { .init($0) }
    }

    /// Returns the first of these types that the item has, or of which it has a conforming one; nil if there is none.
    public func availableType(from types: [NSPasteboard.PasteboardType]) -> NSPasteboard.PasteboardType? {
        let present = self.types.map(\.uniformType)
        return types.first { type in present.contains { $0.conforms(to: type.uniformType) } }
    }

    /// Sets the data of a type. It has no effect on an item that was read or written, except in the call of a data
    /// provider.
    ///
    /// - Returns: false for an item that was read.
    @discardableResult
    public func setData(_ data: Data, forType type: NSPasteboard.PasteboardType) -> Bool {
        set(Value(type: type, data: data))
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

    /// Lets an object provide the data of types when a program loads them. An item with such types ends with the
    /// program, except for data that was loaded once.
    ///
    /// - Returns: as ``setData(_:forType:)``.
    @discardableResult
    public func setDataProvider(
        _ dataProvider: any NSPasteboardItemDataProvider,
        forTypes types: [NSPasteboard.PasteboardType]
    ) -> Bool {
        types.allSatisfy { set(Value(type: $0, provider: dataProvider)) }
    }

    private func set(_ value: Value) -> Bool {
        guard read == nil else { return false }
        // A provider that is replaced is released without the lock: that may run the program's code.
        let before = values.withLock { values in
            let before = values
            values.removeAll { $0.type == value.type }
            let index = before.firstIndex { $0.type == value.type } ?? values.endIndex
            values.insert(value, at: index)
            return before
        }
        return withExtendedLifetime(before) { true }
    }

    /// Returns the bytes of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load.
    public func data(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> Data? {
        guard let read else { return value(type)?.data }
        return try await read.item.data(of: type.uniformType)?.value
    }

    /// Returns the text of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load, or `source-failed` if the bytes are not text.
    public func string(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> String? {
        guard let read else { return value(type)?.data.map { String(decoding: $0, as: UTF8.self) } }
        return try await read.item.text(of: type.uniformType)
    }

    /// Returns the property list of a type, which may be a text; nil if the item does not have it.
    ///
    /// - Throws: the error of the load.
    public func propertyList(forType type: NSPasteboard.PasteboardType) async throws(PasteboardError) -> Any? {
        try await data(forType: type).flatMap { PropertyList.value(of: $0) }
    }

    /// The types that were set.
    public func writableTypes(for pasteboard: NSPasteboard) -> [NSPasteboard.PasteboardType] { types }

    /// Returns the data that was set for a type.
    public func pasteboardPropertyList(forType type: NSPasteboard.PasteboardType) -> Any? { value(type)?.data }

    // MARK: Writing

    private func value(_ type: NSPasteboard.PasteboardType) -> Value? {
        values.withLock { $0.first { $0.type == type } }
    }

    /// The data providers, each once.
    var providers: [any NSPasteboardItemDataProvider] {
        var seen: Set<ObjectIdentifier> = []
        return values.withLock { $0.compactMap(\.provider) }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The item as it is written to a pasteboard.
    func itemProvider(for pasteboard: NSPasteboard) -> ItemProvider {
        let provider = ItemProvider()
        let (name, contents, connection) = (pasteboard.name, pasteboard.contents, pasteboard.pasteboard.connection)
        for value in values.withLock({ $0 }) {
            if let data = value.data {
                provider.registerDataRepresentation(for: value.type.uniformType) { data }
            }
            guard value.data == nil, let owner = value.provider else { continue }
            // The handler keeps neither the connection nor the steps, which have the publication.
            provider.registerDataRepresentation(
                for: value.type.uniformType,
                policy: .onceAndKept
            ) { [weak contents, weak connection] in
                // It was asked before: the broker that kept the data is lost.
                if let data = self.value(value.type)?.data { return data }
                let sender = connection.map {
                    NSPasteboard(Pasteboard(name: name, connection: $0), contents ?? StepwiseContents())
                }
                // An owner may also set the data of the pasteboard.
                let provided = sender.map { ProvidedData(value.type.uniformType, of: $0.pasteboard) }
                defer { provided?.close() }
                try await ProvidedData.$current.withValue(provided) {
                    try await MainThread.asks(for: sender?.pasteboard) {
                        try await owner.pasteboard(sender, item: self, provideDataForType: value.type)
                    }
                }
                guard let data = self.value(value.type)?.data ?? provided?.data else {
                    throw NSPasteboard.notSet(value.type.uniformType)
                }
                return data
            }
        }
        return provider
    }
}
