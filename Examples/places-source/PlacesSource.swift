import PasteboardKit
import PlacesModel

struct PlacesSource {
    let board: Pasteboard

    func run() async throws(PasteboardError) {
        let providers = PlaceList.nationalParks.places.map(PlacePackaging.provider)
        let publication = try await board.write(providers)
        Trace.line("source: registered \(providers.count) items")
        switch try await publication.ended() {
        case .replaced: Trace.line("source: replaced")
        case .cleared: Trace.line("source: cleared")
        case .brokerGone: Trace.line("source: the broker is gone")
        case .expired, .loaded, .handedOver, .withdrawn: Trace.line("source: ended")
        }
    }
}
