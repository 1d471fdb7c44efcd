public import FoundationEssentials
public import PasteboardKit

// Where an extension says it, and for JSON, the type itself has to say that it is not on the main actor.
public nonisolated struct Note: Codable, Sendable {
    public var title: String
    public var text: String
}

nonisolated extension Note: ItemProviderReading {
    public static let readableTypeIdentifiersForItemProvider = ["public.utf8-plain-text"]

    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Note {
        Note(title: "untitled", text: String(decoding: data, as: UTF8.self))
    }
}
