// Offers a value of a type that only this program knows, and the same as plain text for all others.
import Glibc
import PasteboardKit

let route = Route(name: "Sierra", stops: ["Yosemite", "Sequoia", "Pinnacles"])
let provider = ItemProvider(object: route)
provider.suggestedName = route.name
let publication = try await Pasteboard.general.write([provider])
print("source: offers", provider.registeredTypeIdentifiers.joined(separator: ", "))
print("source: a file of it would be", "sierra".appendingPathExtension(for: .route))
fflush(nil)  // somebody may wait for it at the other end of a pipe
print("source:", await publication.ended())
