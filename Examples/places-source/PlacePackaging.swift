import PasteboardKit
import PlacesModel

/// Packages a place as an item with all types that a place can be written as, made when they are loaded.
enum PlacePackaging {
    static func provider(for place: Place) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = place.name
        // `ItemProvider(object: place)` makes the same promise; this form also reports when the place is loaded.
        provider.registerObject(ofClass: Place.self, visibility: .all) { completion in
            Trace.line("source: asked for \(place.name)")
            completion(place, nil)
            return nil
        }
        return provider
    }
}
