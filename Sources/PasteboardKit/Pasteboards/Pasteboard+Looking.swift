import PasteboardClient

// None of these members loads anything, so no handler of a source runs.
extension Pasteboard {
    /// The current change count.
    public var changeCount: ChangeCount {
        get async throws(PasteboardError) { try await contents().changeCount }
    }

    /// The number of items.
    public var numberOfItems: Int {
        get async throws(PasteboardError) { try await contents().items.count }
    }

    /// The item providers of the items.
    public var itemProviders: [ItemProvider] {
        get async throws(PasteboardError) { try await contents().items.map(\.itemProvider) }
    }

    /// The types of all items, each once, in the order of the items, as with NSPasteboard.
    public var types: [UniformType] {
        get async throws(PasteboardError) { try await contents().types }
    }

    /// Whether an item can be loaded as text.
    public var hasStrings: Bool {
        get async throws(PasteboardError) { try await canLoad(String.self) }
    }

    /// Whether an item can be loaded as one of these types: whether it has a type that is one of them or conforms to it.
    ///
    /// - Parameters:
    ///   - types: the types.
    ///   - timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: as ``contents(timeout:)``.
    public func hasTypes(_ types: [UniformType], timeout: Duration? = nil) async throws(PasteboardError) -> Bool {
        try await availableType(from: types, timeout: timeout) != nil
    }

    /// Returns the first of these types that an item can be loaded as. The order of the caller decides, as with
    /// `availableType(from:)` of NSPasteboard; the order of the item decides in ``ItemProvider/bestType(of:preferring:)``.
    ///
    /// - Parameters:
    ///   - types: the types, best first.
    ///   - timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: as ``contents(timeout:)``.
    public func availableType(
        from types: [UniformType],
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> UniformType? {
        let call = Call("the look at the types", timeout: timeout)
        let there = try await contents(for: call).items.flatMap(\.representations).map(\.type)
        return types.first { type in there.contains { $0.conforms(to: type) } }
    }

    /// Whether an item has a type that the class reads.
    ///
    /// - Parameters:
    ///   - aClass: the class, as for ``load(_:ifChangeCount:timeout:maximumByteCount:isAutomatic:)``.
    ///   - timeout: the maximum duration of the call, which includes connecting; by default as for a write.
    /// - Throws: as ``contents(timeout:)``.
    public func canLoad(
        _ aClass: any ItemProviderReading.Type,
        timeout: Duration? = nil
    ) async throws(PasteboardError) -> Bool {
        let call = Call("the look at the types", timeout: timeout)
        return try await contents(for: call).items.contains { $0.itemProvider.canLoadObject(ofClass: aClass) }
    }
}

extension Pasteboard.Contents {
    /// The types of all items, each once, in the order of the items.
    public var types: [UniformType] {
        var seen: Set<UniformType> = []
        return items.flatMap(\.representations).map(\.type).filter { seen.insert($0).inserted }
    }
}

extension UniformType {
    /// Text in UTF-8, by the name that NSPasteboard has for its type.
    public static var string: UniformType { .utf8PlainText }
}
