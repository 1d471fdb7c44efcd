// Examples/hello-destination/main.swift
import FoundationEssentials
import PasteboardKit

do {
    for item in try await Pasteboard.general.contents().items {
        let text = try await item.itemProvider.loadData(for: .plainText, timeout: .seconds(5))
        print(text.type, String(decoding: text.value, as: UTF8.self))
    }
} catch {
    print("not loaded:", error)  // says what failed, on what, why and what to do
}
