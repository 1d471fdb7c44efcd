import PasteboardCompatibility
import PasteboardKit
import PlacesModel

struct PlacesSource {
    let board: Pasteboard

    func run() async throws(PasteboardError) {
        let providers = Place.nationalParks.map(provider)
        let publication = try await board.write(providers)
        print("source: registered \(providers.count) items")
        switch try await publication.outcome() {
        case .replaced: print("source: replaced")
        case .cleared: print("source: cleared")
        case .brokerGone: print("source: the broker is gone")
        case .expired, .loaded, .handedOver, .withdrawn: print("source: ended")
        }
    }

    /// Promises a place in all types that it can be written as, made when they are loaded.
    private func provider(for place: Place) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = place.name
        // `ItemProvider(object: place)` makes the same promise; this form also reports when the place is loaded.
        provider.registerObject(ofClass: Place.self, visibility: .all) { completion in
            print("source: asked for \(place.name)")
            completion(place, nil)
            return nil
        }
        return provider
    }
}
