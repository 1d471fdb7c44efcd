// Examples/hello-drop/main.swift
import PasteboardKit

do {
    try await DropDestination(name: "desk", accepting: [.plainText]).run { session, _ in
        for text in try await session.loadObjects(ofClass: String.self) { print("dropped:", text) }
    }
} catch {
    print("no destination:", error)
}
