public import FoundationEssentials
public import PasteboardKit

extension Place: ItemProviderWriting {
    /// The place as JSON with all its properties, and its name as plain text for other programs.
    public static var writableTypeIdentifiersForItemProvider: [String] {
        [UniformType.json.identifier, UniformType.utf8PlainText.identifier]
    }

    /// Encodes the place. It runs only when a destination loads it.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        guard typeIdentifier == UniformType.json.identifier else {
            completionHandler(Data(name.utf8), nil)
            return nil
        }
        do {
            completionHandler(try JSONEncoder().encode(self), nil)
        } catch {
            completionHandler(nil, error)
        }
        return nil
    }
}

extension Place: ItemProviderReading {
    /// JSON, and any plain text, which is read as a name.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [UniformType.json.identifier, UniformType.plainText.identifier]
    }

    /// Makes a place from bytes of another program. The bytes are not trusted.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Place {
        if UniformType(importedAs: typeIdentifier).conforms(to: .json) {
            return try JSONDecoder().decode(Place.self, from: data)
        }
        let name = try String.object(withItemProviderData: data, typeIdentifier: typeIdentifier)
        guard !name.isEmpty else { throw PasteboardError(.refused, message: "a place needs a name") }
        return Place(name: name)
    }
}
