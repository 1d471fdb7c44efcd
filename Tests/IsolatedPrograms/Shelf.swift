import FoundationEssentials
import PasteboardCompatibility
public import PasteboardKit

/// Values that a program keeps on the main actor, which nothing in this file says.
public final class Shelf {
    public private(set) var cards: [Card] = []
    public private(set) var notes: [Note] = []
    public private(set) var fileNames: [String] = []

    public init() {}

    /// An item with a card, a note and a file.
    public func provider() -> ItemProvider {
        let provider = ItemProvider(object: Card(name: "Sierra"))
        provider.registerJSON(Note(title: "Coast", text: "To be written."), for: .json)
        provider.suggestedName = "coast"
        provider.registerDataRepresentation(for: .utf8PlainText) { Data("Pacific".utf8) }
        provider.registerDataRepresentation(for: .commaSeparatedText) { @MainActor in
            Data(self.fileNames.joined(separator: ",").utf8)
        }
        provider.registerDataRepresentation(forTypeIdentifier: "public.html", visibility: .all) { completion in
            Task { @MainActor in completion(Data("<p>\(self.cards.count)".utf8), nil) }
            return nil
        }
        return provider
    }

    /// Takes all of it.
    public func take(from provider: ItemProvider) async throws {
        cards.append(try await provider.load(Card.self))
        notes.append(try await provider.loadJSON(Note.self, for: .json))
        notes.append(try await provider.load(Note.self))
        try await provider.withLoadedFile(for: .plainText) { file in
            fileNames.append(file.value.lastPathComponent)
        }
    }
}
