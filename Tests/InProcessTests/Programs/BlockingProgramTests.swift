import PasteboardCompatibility
import TestSupport
import Testing

@testable import PortedPrograms

/// Programs in which threads wait for pasteboards, as on Apple's systems.
@Suite(.inProcess) struct BlockingProgramTests {
    @Test("An extension of the pasteboard copies and reads, and contents are saved and restored")
    func extras() async throws {
        try await TestBroker.serving { broker in
            let pasteboard = NSPasteboard(broker.pasteboard())
            #expect(pasteboard.text == nil && pasteboard.itemTexts().isEmpty)
            #expect(pasteboard.copy("one", html: "<p>one"))
            #expect(try await broker.pasteboard().contents().terms.isLocalOnly)
            let restores = PasteboardGuard(pasteboard)
            #expect(restores.firstText == "one")
            try await broker.pasteboard().write(URL(filePath: "/nowhere/a.txt"))
            #expect(pasteboard.fileURLs.map(\.lastPathComponent) == ["a.txt"])
            withExtendedLifetime(restores) {}
        }
    }

    @Test("Properties of a pasteboard are set, changed in place and read")
    func setters() async throws {
        try await TestBroker.serving { broker in
            let pad = ScratchPad(pasteboard: UIPasteboard(broker.pasteboard()))
            pad.text = "one"
            pad.text += " more"
            let text = try await broker.pasteboard().string
            #expect(text == "one more")
            pad.text = ""
            #expect(try await broker.pasteboard().contents().items.isEmpty)
            pad.link = URL(string: "https://example.com")
            #expect(pad.text == "https://example.com")
            #expect(pad.types(of: "public.html") == [["public.html"]])
            pad.lines = ["a", "b"]
            pad.replaceFirst(with: "c")
            #expect(pad.lines == ["c", "b"])
        }
    }

    @Test("What fails is nil, false or 0")
    func failures() async throws {
        let pasteboard = try await TestBroker.serving { NSPasteboard($0.pasteboard()) }
        #expect(!pasteboard.copy("one") && pasteboard.text == nil && pasteboard.fileURLs.isEmpty)
    }

    @Test("An image is its bytes: it is read and written in its own format only")
    func image() async throws {
        try await TestBroker.serving { broker in
            let bytes = Data([0x89] + "PNG\r\n\u{1A}\n".utf8)
            let image = try #require(UIImage(data: bytes))
            #expect(image.pngData() == bytes && image.jpegData(compressionQuality: 1) == nil)
            #expect(UIImage(data: Data("text".utf8)) == nil)
            let pasteboard = UIPasteboard(broker.pasteboard())
            try await pasteboard.setObjects([image])
            #expect(try await pasteboard.types == ["public.png"])
            #expect(try await pasteboard.image?.pngData() == bytes)
            let read = try await NSPasteboard(broker.pasteboard()).readObjects(forClasses: [NSImage.self])
            #expect((read?.first as? NSImage)?.pngData() == bytes)
        }
    }
}
