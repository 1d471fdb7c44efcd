// Examples/hello-drop/main.swift
import Glibc
import PasteboardKit

do {
    try await DropDestination(name: "desk", accepting: [.plainText]).run { session, _ in
        for text in try await session.loadObjects(ofClass: String.self) { print("dropped:", text) }
        fflush(nil)  // the program goes on: in a pipe the line would stay buffered
    }
} catch {
    print("no destination:", error)
    exit(1)
}
