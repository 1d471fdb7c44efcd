import PasteboardBlocking

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
        pasteboard.hasStrings || pasteboard.contains(pasteboardTypes: [UTType.png.identifier])
    }

    var canPasteLink: Bool {
        !text.isEmpty && pasteboard.hasURLs
    }

    func copyText() {
        pasteboard.string = text
    }

    func copyLink() {
        guard let link = link else { return }
        pasteboard.url = link
    }

    func copyCode(_ code: String) {
        let expires = Date().addingTimeInterval(60)
        pasteboard.setItems(
            [[UTType.utf8PlainText.identifier: code]],
            options: [.localOnly: true, .expirationDate: expires]
        )
    }

    func copyPicture(_ png: Data) {
        pasteboard.setData(png, forPasteboardType: UTType.png.identifier)
    }

    func pasteText() {
        if let string = pasteboard.string {
            text += string
        }
    }

    func pasteLink() {
        if pasteboard.hasURLs, let url = pasteboard.url {
            link = url
        }
    }

    func pastePicture() {
        guard let data = pasteboard.data(forPasteboardType: UTType.png.identifier) else { return }
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

    func receivePasteboard() {
        receive(pasteboard.itemProviders)
    }
}
