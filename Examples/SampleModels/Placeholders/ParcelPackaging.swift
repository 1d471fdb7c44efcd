public import FoundationEssentials
public import PasteboardKit

/// How a parcel becomes an item.
public struct ParcelPackaging: Sendable {
    /// Gives the bytes of a parcel, or fails, at each load.
    private let bytes: @Sendable (Parcel) async throws -> Data

    /// Makes a packaging.
    ///
    /// - Parameter bytes: called at each load.
    public init(bytes: @escaping @Sendable (Parcel) async throws -> Data) {
        self.bytes = bytes
    }

    /// The item. Only a plain parcel can be handed over in this process as it is.
    @MainActor
    public func items(for parcel: Parcel) -> [DragItem] {
        let provider = ItemProvider()
        provider.suggestedName = parcel.name
        provider.registerDataRepresentation(for: .utf8PlainText) { [bytes] in try await bytes(parcel) }
        let item = DragItem(itemProvider: provider)
        if parcel.kind == .plain { item.localObject = parcel }
        return [item]
    }
}
