import FoundationEssentials
import PasteboardKit

/// A place whose name takes time to load and reports its progress.
struct SlowPlace: Sendable {
    /// The number of progress reports.
    private static let steps: Int64 = 20

    let name: String
    let duration: Duration

    /// The item, in the form that `PlacePackaging` makes for an immediate name.
    func item(asked: @escaping @Sendable (String) -> Void) -> DragItem {
        let provider = ItemProvider()
        provider.suggestedName = name
        provider.registerDataRepresentation(for: .plainText) { progress in
            asked(name)
            progress.totalUnitCount = Self.steps
            for step in 1...Self.steps {
                try await Task.sleep(for: duration / Int(Self.steps))
                progress.completedUnitCount = step
            }
            return Data(name.utf8)
        }
        return DragItem(itemProvider: provider)
    }
}
