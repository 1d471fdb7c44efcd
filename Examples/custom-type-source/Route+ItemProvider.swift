import FoundationEssentials
import PasteboardKit

extension Route: ItemProviderWriting {
    /// The whole route first, then a fallback for all programs: the names of its stops.
    static let writableTypeIdentifiersForItemProvider = [
        UniformType.route.identifier, UniformType.utf8PlainText.identifier,
    ]

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        print("source: asked for \(typeIdentifier)")
        guard typeIdentifier == UniformType.route.identifier else {
            completionHandler(Data(stops.joined(separator: "\n").utf8), nil)
            return nil
        }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            completionHandler(try encoder.encode(self), nil)
        } catch {
            completionHandler(nil, error)
        }
        return nil
    }
}
