// Examples/hello-destination/main.swift
import Glibc
import PasteboardKit

do {
    let items = try await Pasteboard.general.contents().items
    if items.isEmpty { print("nothing is on the pasteboard") }
    for item in items.map(\.itemProvider) {
        let text = try await item.load(String.self, options: LoadOptions(timeout: .seconds(5)))
        print(item.suggestedName ?? "text", "says:", text)
    }
} catch {
    print("not loaded:", error)  // says what failed, on what, why and what to do
    exit(1)
}
