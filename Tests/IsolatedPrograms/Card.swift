public import FoundationEssentials
public import PasteboardKit

// A value that says in its own declaration how it is written and read needs no further word: such a type is not on the
// main actor, though the module's default is.
public struct Card: Codable, ItemProviderWriting, ItemProviderReading {
    public static let writableTypeIdentifiersForItemProvider = ["org.example.card"]
    public static let readableTypeIdentifiersForItemProvider = ["org.example.card"]

    public var name: String

    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        do {
            completionHandler(try JSONEncoder().encode(self), nil)
        } catch {
            completionHandler(nil, error)
        }
        return nil
    }

    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Card {
        try JSONDecoder().decode(Card.self, from: data)
    }
}
