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
        provider.registerDataRepresentation(for: .plainText) { completion in
            asked(name)
            let progress = LoadProgress(totalUnitCount: Self.steps)
            let work = Task {
                for step in 1...Self.steps {
                    try? await Task.sleep(for: duration / Int(Self.steps))
                    progress.completedUnitCount = step
                }
                completion(Data(name.utf8), nil)
            }
            progress.cancellationHandler = { work.cancel() }
            return progress
        }
        return DragItem(itemProvider: provider)
    }
}
