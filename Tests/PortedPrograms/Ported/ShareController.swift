import PasteboardCompatibility

/// Copies, pastes and shares what an editor shows.
@MainActor
final class ShareController: NSObject {
    let pasteboard: UIPasteboard
    private(set) var text = ""
    private(set) var link: URL?
    private(set) var attachments: [Data] = []

    init(pasteboard: UIPasteboard = .general) {
        self.pasteboard = pasteboard
        super.init()
    }

    var canPaste: Bool {
        get async throws {
            try await pasteboard.hasStrings ? true : pasteboard.contains(pasteboardTypes: [UTType.png.identifier])
        }
    }

    var canPasteLink: Bool {
        get async throws {
            try await !text.isEmpty ? pasteboard.hasURLs : false
        }
    }

    func copyText() async throws {
        try await pasteboard.setObjects([text])
    }

    func copyLink() async throws {
        guard let link = link else { return }
        try await pasteboard.setObjects([link])
    }

    func copyCode(_ code: String) async throws {
        let expires = Date().addingTimeInterval(60)
        try await pasteboard.setItems(
            [[UTType.utf8PlainText.identifier: code]],
            options: [.localOnly: true, .expirationDate: expires]
        )
    }

    func copyPicture(_ png: Data) async throws {
        try await pasteboard.setData(png, forPasteboardType: UTType.png.identifier)
    }

    func pasteText() async throws {
        if let string = try await pasteboard.string {
            text += string
        }
    }

    func pasteLink() async throws {
        if try await pasteboard.hasURLs, let url = try await pasteboard.url {
            link = url
        }
    }

    func pastePicture() async throws {
        guard let data = try await pasteboard.data(forPasteboardType: UTType.png.identifier) else { return }
        attachments.append(data)
    }

    func suggest(_ completion: @escaping @Sendable (Bool) -> Void) {
        pasteboard.detectPatterns(for: [.probableWebURL]) { result in
            completion((try? result.get().contains(.probableWebURL)) ?? false)
        }
    }

    func itemProvider() -> NSItemProvider {
        let provider = NSItemProvider(object: text as NSString)
        provider.suggestedName = "note"
        let data = Data(text.utf8)
        provider.registerDataRepresentation(forTypeIdentifier: "public.html", visibility: .all) { completion in
            completion(data, nil)
            return nil
        }
        return provider
    }

    func receive(_ providers: [NSItemProvider]) {
        for provider in providers where provider.canLoadObject(ofClass: NSString.self) {
            provider.loadObject(ofClass: NSString.self) { object, error in
                guard let string = object as? String else { return }
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
