public import Foundation
public import PasteboardKit

// Writes of values that exist already. The broker keeps them, so they outlive the program.
extension UIPasteboard {
    /// Options of ``setItems(_:options:)``.
    public struct OptionsKey: Hashable, Sendable {
        private let name: String

        /// A `Bool`: whether the items stay on this machine.
        public static let localOnly = OptionsKey(name: "localOnly")
        /// A `Date`: the time at which the broker clears the items.
        public static let expirationDate = OptionsKey(name: "expirationDate")
    }

    /// Replaces the contents with items.
    ///
    /// - Parameters:
    ///   - items: the items: for each type identifier a value, which is `Data`, a text, a URL, or an object that writes
    ///     the type. The types of an item have no order; they are sorted by their identifiers. No items: the pasteboard
    ///     is cleared.
    ///   - options: whether the items are local, and when they expire.
    /// - Throws: `invalid-argument` for a value of another type. Otherwise as for a write.
    public func setItems(_ items: [[String: Any]], options: [OptionsKey: Any] = [:]) async throws(PasteboardError) {
        var providers: [ItemProvider] = []
        for item in items {
            let provider = ItemProvider()
            for (identifier, value) in item.sorted(by: { $0.key < $1.key }) {
                try provider.register(value, for: UniformType(importedAs: identifier))
            }
            providers.append(provider)
        }
        let (localOnly, expirationDate) = (options[.localOnly] as? Bool, options[.expirationDate] as? Date)
        try await write(providers, keeps: .everything, localOnly ?? false, expirationDate)
    }

    /// Replaces the contents with one item of one type.
    ///
    /// - Throws: as for a write.
    public func setData(_ data: Data, forPasteboardType pasteboardType: String) async throws(PasteboardError) {
        try await setItems([[pasteboardType: data]])
    }

    /// Replaces the contents with one item of one type.
    ///
    /// - Throws: as ``setItems(_:options:)``.
    public func setValue(_ value: Any, forPasteboardType pasteboardType: String) async throws(PasteboardError) {
        try await setItems([[pasteboardType: value]])
    }

    /// Replaces the contents with objects, each of which becomes an item. No objects: the pasteboard is cleared.
    ///
    /// - Parameters:
    ///   - objects: the objects, which write their types now.
    ///   - localOnly: whether the items stay on this machine.
    ///   - expirationDate: the time at which the broker clears the items; nil: never.
    /// - Throws: as for a write.
    public func setObjects(
        _ objects: [any ItemProviderWriting],
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) async throws(PasteboardError) {
        try await write(objects.map { ItemProvider(object: $0) }, keeps: .everything, localOnly, expirationDate)
    }

    /// Replaces the contents with promises, which end with the program. No providers: the pasteboard is cleared.
    ///
    /// - Parameters:
    ///   - itemProviders: the items.
    ///   - localOnly: whether the items stay on this machine.
    ///   - expirationDate: the time at which the broker clears the items; nil: never.
    /// - Throws: as for a write.
    public func setItemProviders(
        _ itemProviders: [ItemProvider],
        localOnly: Bool,
        expirationDate: Date?
    ) async throws(PasteboardError) {
        try await write(itemProviders, keeps: .nothing, localOnly, expirationDate)
    }

    private func write(
        _ providers: [ItemProvider],
        keeps: Pasteboard.KeptRepresentations,
        _ localOnly: Bool,
        _ expirationDate: Date?
    ) async throws(PasteboardError) {
        guard !providers.isEmpty else {
            try await pasteboard.clear()
            return
        }
        // A time in the past has the shortest lifetime.
        let expiresAfter = expirationDate.map { Duration.seconds(max(0.001, $0.timeIntervalSinceNow)) }
        let options = Pasteboard.WriteOptions(expiresAfter: expiresAfter, isLocalOnly: localOnly)
        try await pasteboard.write(providers, keeps: keeps, options: options)
    }
}

extension ItemProvider {
    fileprivate func register(_ value: Any, for type: UniformType) throws(PasteboardError) {
        let data: Data
        switch value {
        case let value as Data: data = value
        case let value as String: data = Data(value.utf8)
        case let value as URL: data = Data(value.absoluteString.utf8)
        case let value as any ItemProviderWriting:
            return registerDataRepresentation(forTypeIdentifier: type.identifier) { completion in
                value.loadData(
                    withTypeIdentifier: type.identifier,
                    forItemProviderCompletionHandler: completion
                )
            }
        default:
            throw PasteboardError(
                .invalidArgument,
                message: "the value for \(type.identifier) is of type \(Swift.type(of: value)); it has to be Data, "
                    + "String, URL or an ItemProviderWriting"
            )
        }
        registerDataRepresentation(for: type) { data }
    }
}
