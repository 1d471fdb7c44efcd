public import FoundationEssentials
public import PasteboardKit

/// Packages a parcel as an item.
public struct ParcelPackaging: Sendable {
    /// Returns the bytes of a parcel or fails. It is called at each load.
    private let bytes: @Sendable (Parcel, LoadProgress) async throws -> Data

    /// Makes a packaging.
    ///
    /// - Parameter bytes: called at each load, and cancelled with the load. It reports its progress, out of 100, to the
    ///   load's progress.
    public init(bytes: @escaping @Sendable (Parcel, LoadProgress) async throws -> Data) {
        self.bytes = bytes
    }

    /// The item. Only a plain parcel can be handed over within this process.
    @MainActor
    public func items(for parcel: Parcel) -> [DragItem] {
        let provider = ItemProvider()
        provider.suggestedName = parcel.name
        provider.registerDataRepresentation(for: .utf8PlainText) { [bytes] progress in
            progress.totalUnitCount = 100
            return try await bytes(parcel, progress)
        }
        let item = DragItem(itemProvider: provider)
        if parcel.kind == .plain { item.localObject = parcel }
        return [item]
    }
}
