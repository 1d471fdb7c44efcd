import Foundation
import PasteboardCompatibility

/// Copies, pastes and shares what an editor shows.
@MainActor
final class ShareController: NSObject {
    let pasteboard: Pasteboard
    private(set) var text = ""
    private(set) var link: URL?
    private(set) var attachments: [Data] = []

    init(pasteboard: Pasteboard = .general) {
        self.pasteboard = pasteboard
        super.init()
    }

    var canPaste: Bool {
        get async throws {
            try await pasteboard.hasStrings ? true : pasteboard.contains(pasteboardTypes: [UniformType.png.identifier])
        }
    }

    var canPasteLink: Bool {
        get async throws {
            try await !text.isEmpty ? pasteboard.canLoad(URL.self) : false
        }
    }

    func copyText() async throws {
        try await pasteboard.write(text)
    }

    func copyLink() async throws {
        guard let link = link else { return }
        try await pasteboard.write(link)
    }

    func copyCode(_ code: String) async throws {
        let expires = Date().addingTimeInterval(60)
        try await pasteboard.setItems(
            [[UniformType.utf8PlainText.identifier: code]],
            options: [.localOnly: true, .expirationDate: expires]
        )
    }

    func copyPicture(_ png: Data) async throws {
        try await pasteboard.setData(png, forPasteboardType: UniformType.png.identifier)
    }

    func pasteText() async throws {
        if let string = try await pasteboard.string {
            text += string
        }
    }

    func pasteLink() async throws {
        if try await pasteboard.canLoad(URL.self), let url = try await pasteboard.load(URL.self) {
            link = url
        }
    }

    func pastePicture() async throws {
        guard let data = try await pasteboard.data(forPasteboardType: UniformType.png.identifier) else { return }
        attachments.append(data)
    }

    func suggest(_ completion: @escaping @Sendable (Bool) -> Void) {
        pasteboard.detectPatterns(for: [.probableWebURL]) { result in
            completion((try? result.get().contains(.probableWebURL)) ?? false)
        }
    }

    func itemProvider() -> ItemProvider {
        let provider = ItemProvider(object: text as String)
        provider.suggestedName = "note"
        let data = Data(text.utf8)
        provider.registerDataRepresentation(forTypeIdentifier: "public.html", visibility: .all) { completion in
            completion(data, nil)
            return nil
        }
        return provider
    }

    func receive(_ providers: [ItemProvider]) {
        for provider in providers where provider.canLoadObject(ofClass: String.self) {
            provider.loadObject(ofClass: String.self) { object, error in
                guard let string = object else { return }
                DispatchQueue.main.async {
                    self.text += string
                }
            }
        }
    }

    func receivePasteboard() async throws {
        receive(try await pasteboard.itemProviders)
    }
}
