// Examples/hello-source/main.swift
import FoundationEssentials
import PasteboardKit

let provider = ItemProvider()
provider.suggestedName = "greeting"
provider.registerDataRepresentation(for: .utf8PlainText) {
    Data("made when asked".utf8)  // runs at each load, never before
}
let publication = try await Pasteboard.general.write([provider])
print("ended:", await publication.ended())
