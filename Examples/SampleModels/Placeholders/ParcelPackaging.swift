public import FoundationEssentials
public import PasteboardKit

/// How a parcel becomes an item.
public struct ParcelPackaging: Sendable {
    /// Gives the bytes of a parcel, or fails, at each load.
    private let bytes: @Sendable (Parcel, LoadProgress) async throws -> Data

    /// Makes a packaging.
    ///
    /// - Parameter bytes: called at each load. How far it is, of 100, it says to the load's progress. Cancelled with the load.
    public init(bytes: @escaping @Sendable (Parcel, LoadProgress) async throws -> Data) {
        self.bytes = bytes
    }

    /// The item. Only a plain parcel can be handed over in this process as it is.
    @MainActor
    public func items(for parcel: Parcel) -> [DragItem] {
        let provider = ItemProvider()
        provider.suggestedName = parcel.name
        provider.registerDataRepresentation(for: .utf8PlainText) { [bytes] completion in
            let progress = LoadProgress(totalUnitCount: 100)
            let work = Task {
                do {
                    completion(try await bytes(parcel, progress), nil)
                } catch {
                    completion(nil, error)
                }
            }
            progress.cancellationHandler = { work.cancel() }
            return progress
        }
        let item = DragItem(itemProvider: provider)
        if parcel.kind == .plain { item.localObject = parcel }
        return [item]
    }
}
