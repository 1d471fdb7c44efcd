import PasteboardKit
import PlacesModel

/// How a place becomes an item: as everything that a place can be written as, when it is asked for.
enum PlacePackaging {
    static func provider(for place: Place) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = place.name
        // `ItemProvider(object: place)` promises the same; this form also says when it is asked.
        provider.registerObject(ofClass: Place.self, visibility: .all) { completion in
            Trace.line("source: asked for \(place.name)")
            completion(place, nil)
            return nil
        }
        return provider
    }
}
