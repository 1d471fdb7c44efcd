// Examples/hello-source/main.swift
import FoundationEssentials
import Glibc
import PasteboardKit

let provider = ItemProvider()
provider.suggestedName = "greeting"
provider.registerDataRepresentation(for: .utf8PlainText) {
    Data("made when asked".utf8)  // runs at each load, never before
}
do {
    let publication = try await Pasteboard.general.write([provider])
    print("ended:", try await publication.outcome())
} catch {
    print("not offered:", error)  // if there is no broker program, the error says how to get one
    exit(1)
}
