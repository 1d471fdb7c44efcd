// Examples/hello-destination/main.swift
import PasteboardKit

do {
    for item in try await Pasteboard.general.contents().items.map(\.itemProvider) {
        guard item.canLoadObject(ofClass: String.self) else { continue }
        let text = try await item.loadObject(ofClass: String.self, timeout: .seconds(5))
        print(item.suggestedName ?? "text", "says:", text)
    }
} catch {
    print("not loaded:", error)  // says what failed, on what, why and what to do
}
