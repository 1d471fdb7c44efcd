import FoundationEssentials
import PasteboardKit
import PlacesModel

/// How a place becomes an item: its name as plain text, encoded when it is asked for.
enum PlacePackaging {
    static func provider(for place: Place) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = place.name
        provider.registerDataRepresentation(forTypeIdentifier: "public.plain-text", visibility: .all) { completion in
            Trace.line("source: asked for \(place.name)")
            completion(Data(place.name.utf8), nil)
            return nil
        }
        return provider
    }
}
