// Examples/AppleNames/Clipboard.swift
#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#else
import PasteboardCompatibility
#endif

/// The calls of a pasteboard that the program uses. They wait for another process only on Linux.
struct Clipboard {
    #if canImport(UIKit)
    var pasteboard = UIPasteboard.general

    func copy(_ text: String) async throws { pasteboard.string = text }

    func text() async throws -> String? { pasteboard.string }
    #elseif canImport(AppKit)
    var pasteboard = NSPasteboard.general

    func copy(_ text: String) async throws {
        pasteboard.clearContents()
        pasteboard.setString(text, forType: .string)
    }

    func text() async throws -> String? { pasteboard.string(forType: .string) }
    #else
    var pasteboard = Pasteboard.general

    func copy(_ text: String) async throws { try await pasteboard.write(text) }

    func text() async throws -> String? { try await pasteboard.string }
    #endif
}
