public import FoundationEssentials

// Reads in the shape of NSPasteboardItem. Promises of a source that has ended are left out.
extension PasteboardItem {
    /// The types in which the item can be loaded, best first.
    public var types: [UniformType] { representations.filter { $0.state != .gone }.map(\.type) }

    /// Returns the bytes of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load.
    public func data(forType type: UniformType) async throws(PasteboardError) -> Data? {
        try await load(type)?.value
    }

    /// Returns the text of a type; nil if the item does not have it.
    ///
    /// - Throws: the error of the load, or `source-failed` if the bytes are not text.
    public func string(forType type: UniformType) async throws(PasteboardError) -> String? {
        try await load(type)?.decoded
    }

    private func load(_ type: UniformType) async throws(PasteboardError) -> Loaded<Data>? {
        guard let provider = loadableProvider, provider.representations.best(for: type) != nil else { return nil }
        return try await provider.loadData(for: type)
    }
}
