// Offers a value of a type that only this program knows, and a plain text version for all others.
@preconcurrency import Glibc
import PasteboardCompatibility
import PasteboardKit

setlinebuf(stdout)  // another program may wait for a line at the other end of a pipe
let route = Route(name: "Sierra", stops: ["Yosemite", "Sequoia", "Pinnacles"])
let provider = ItemProvider(object: route)
provider.suggestedName = route.name
do {
    let publication = try await Pasteboard.general.write([provider])
    print("source: offers", provider.registeredContentTypes.map(\.identifier).joined(separator: ", "))
    print("source: a file of it would be", "sierra".appendingPathExtension(for: .route))
    print("source:", try await publication.outcome())
} catch {
    print("source:", error)
    exit(1)
}
