public import FoundationEssentials

// Writes in the shape of UIPasteboard.
extension Pasteboard {
    /// Options of ``setItems(_:options:)``.
    public struct OptionsKey: Hashable, Sendable {
        private let name: String

        /// A `Bool`: whether the items stay on this machine.
        public static let localOnly = OptionsKey(name: "localOnly")
        /// A `Date`: the time at which the broker clears the items.
        public static let expirationDate = OptionsKey(name: "expirationDate")
    }

    /// Replaces the contents with items whose values exist already. The broker keeps them, so they outlive the program.
    ///
    /// - Parameters:
    ///   - items: the items: for each type identifier a value, which is `Data`, a `String`, a `URL`, or another
    ///     ``ItemProviderWriting`` that writes the type. The types of an item have no order; they are sorted by their
    ///     identifiers.
    ///   - options: whether the items are local, and when they expire.
    /// - Throws: `invalid-argument` for a value of another type. Otherwise as for a write.
    @discardableResult
    public func setItems(
        _ items: [[String: any Sendable]],
        options: [OptionsKey: any Sendable] = [:]
    ) async throws(PasteboardError) -> Publication {
        var providers: [ItemProvider] = []
        for item in items {
            let provider = ItemProvider()
            for (identifier, value) in item.sorted(by: { $0.key < $1.key }) {
                try provider.register(value, for: UniformType(importedAs: identifier))
            }
            providers.append(provider)
        }
        let write = WriteOptions(
            localOnly: options[.localOnly] as? Bool ?? false,
            expirationDate: options[.expirationDate] as? Date
        )
        return try await self.write(providers, keeps: .everything, options: write)
    }

    /// Replaces the contents with promises.
    ///
    /// - Parameters:
    ///   - itemProviders: the items.
    ///   - localOnly: whether the items stay on this machine.
    ///   - expirationDate: the time at which the broker clears the items; nil: never.
    /// - Throws: as for a write.
    @discardableResult
    public func setItemProviders(
        _ itemProviders: [ItemProvider],
        localOnly: Bool,
        expirationDate: Date?
    ) async throws(PasteboardError) -> Publication {
        try await write(itemProviders, options: WriteOptions(localOnly: localOnly, expirationDate: expirationDate))
    }

    /// Replaces the contents with objects. The broker keeps their bytes, so they outlive the program.
    ///
    /// - Parameters:
    ///   - objects: the objects, each of which becomes an item.
    ///   - keeps: the types whose bytes the objects write now. They are asked for the others when a program loads them.
    ///   - localOnly: whether the items stay on this machine.
    ///   - expirationDate: the time at which the broker clears the items; nil: never.
    /// - Throws: as for a write.
    @discardableResult
    public func setObjects(
        _ objects: [any ItemProviderWriting],
        keeps: KeptRepresentations = .everything,
        localOnly: Bool = false,
        expirationDate: Date? = nil
    ) async throws(PasteboardError) -> Publication {
        try await write(
            objects.map { ItemProvider(object: $0) },
            keeps: keeps,
            options: WriteOptions(localOnly: localOnly, expirationDate: expirationDate)
        )
    }

    /// Returns the bytes of the first item that has a type; nil if there is none.
    ///
    /// - Throws: the error of the load.
    public func data(forPasteboardType pasteboardType: String) async throws(PasteboardError) -> Data? {
        try await data(forType: UniformType(importedAs: pasteboardType))
    }

    /// Replaces the contents with one item of one type, whose bytes the broker keeps.
    ///
    /// - Throws: as for a write.
    @discardableResult
    public func setData(
        _ data: Data,
        forPasteboardType pasteboardType: String
    ) async throws(PasteboardError) -> Publication {
        try await setItems([[pasteboardType: data]])
    }

    /// Whether an item can be loaded as one of these types. Nothing is loaded.
    ///
    /// - Throws: as ``contents(timeout:)``.
    public func contains(pasteboardTypes: [String]) async throws(PasteboardError) -> Bool {
        try await hasTypes(pasteboardTypes.map { UniformType(importedAs: $0) })
    }
}

extension Pasteboard.WriteOptions {
    fileprivate init(localOnly: Bool, expirationDate: Date?) {
        // A time in the past has the shortest lifetime.
        let expiresAfter = expirationDate.map { Duration.seconds(max(0.001, $0.timeIntervalSinceNow)) }
        self.init(expiresAfter: expiresAfter, isLocalOnly: localOnly)
    }
}

extension ItemProvider {
    fileprivate func register(_ value: any Sendable, for type: UniformType) throws(PasteboardError) {
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
