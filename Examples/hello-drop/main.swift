// Examples/hello-drop/main.swift
@preconcurrency import Glibc
import PasteboardKit

setlinebuf(stdout)  // the program keeps running: a pipe would hold its lines back
do {
    try await DropDestination(name: "desk", accepting: [.plainText]).run { session, _ in
        for text in try await session.load(String.self) { print("dropped:", text) }
    }
} catch {
    print("no destination:", error)
    exit(1)
}
