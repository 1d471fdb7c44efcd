// Examples/hello-drop/main.swift
import Glibc
import PasteboardKit

do {
    try await DropDestination(name: "desk", accepting: [.plainText]).run { session, _ in
        for text in try await session.loadObjects(ofClass: String.self) { print("dropped:", text) }
        fflush(nil)  // it runs on: a file or a pipe would not see the line
    }
} catch {
    print("no destination:", error)
    exit(1)
}
