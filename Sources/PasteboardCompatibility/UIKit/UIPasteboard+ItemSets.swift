public import Foundation
public import PasteboardKit

// Items by their indices.
extension UIPasteboard {
    /// Returns the indices of the items that have one of these types; nil if there is none.
    public func itemSet(withPasteboardTypes pasteboardTypes: [String]) async throws(PasteboardError) -> IndexSet? {
        Self.itemSet(try await pasteboard.contents(), pasteboardTypes)
    }

    /// Returns the types of each item of a set; nil stands for all items.
    public func types(forItemSet itemSet: IndexSet?) async throws(PasteboardError) -> [[String]]? {
        try await pasteboard.contents().items.filter { itemSet?.contains($0.id) ?? true }
            .map { $0.types.map(\.identifier) }
    }

    /// Whether each item of a set has one of these types; nil stands for all items.
    public func contains(
        pasteboardTypes: [String],
        inItemSet itemSet: IndexSet?
    ) async throws(PasteboardError) -> Bool {
        let contents = try await pasteboard.contents()
        let items = itemSet ?? IndexSet(contents.items.indices)
        return !items.isEmpty && (Self.itemSet(contents, pasteboardTypes) ?? []).isSuperset(of: items)
    }

    /// Returns the bytes of a type of each item of a set that has it; nil stands for all items.
    ///
    /// - Throws: the error of a load.
    public func data(
        forPasteboardType pasteboardType: String,
        inItemSet itemSet: IndexSet?
    ) async throws(PasteboardError) -> [Data]? {
        try await loadItems([pasteboardType], inItemSet: itemSet).flatMap { $0.values.map(\.value) }
    }

    /// Returns the value of a type of each item of a set that has it, as in ``items``; nil stands for all items.
    ///
    /// - Throws: the error of a load.
    public func values(
        forPasteboardType pasteboardType: String,
        inItemSet itemSet: IndexSet?
    ) async throws(PasteboardError) -> [Any]? {
        try await loadItems([pasteboardType], inItemSet: itemSet).flatMap { $0.values.map(Self.value) }
    }

    private static func itemSet(_ contents: Pasteboard.Contents, _ pasteboardTypes: [String]) -> IndexSet? {
        let types = pasteboardTypes.map { UniformType(importedAs: $0) }
        let items = contents.items.filter { item in types.contains { item.loadable($0) != nil } }.map(\.id)
        return items.isEmpty ? nil : IndexSet(items)
    }
}
