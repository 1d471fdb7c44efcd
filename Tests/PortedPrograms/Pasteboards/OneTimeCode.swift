import PasteboardBlocking

/// Copies a code that is valid for a short time, for this device only.
struct OneTimeCode {
    let code: String
    let validUntil: Date

    func copy(to pasteboard: UIPasteboard) {
        pasteboard.setItems(
            [[UTType.utf8PlainText.identifier: code]],
            options: [.localOnly: true, .expirationDate: validUntil]
        )
    }

    func share(_ providers: [NSItemProvider], on pasteboard: UIPasteboard) {
        pasteboard.setItemProviders(providers, localOnly: true, expirationDate: validUntil)
    }
}

/// Offers to paste what looks useful, without reading it.
struct PasteSuggestion {
    let pasteboard: UIPasteboard

    func code() -> String? {
        guard pasteboard.hasStrings else { return nil }
        return pasteboard.string
    }

    func texts() -> [String]? {
        guard pasteboard.contains(pasteboardTypes: [UTType.plainText.identifier]) else { return nil }
        return pasteboard.strings
    }

    func suggest(completionHandler: @escaping @Sendable (Bool, Bool) -> Void) {
        pasteboard.detectPatterns(for: [.number, .probableWebURL]) { result in
            switch result {
            case .success(let patterns):
                completionHandler(patterns.contains(.number), patterns.contains(.probableWebURL))
            case .failure:
                completionHandler(false, false)
            }
        }
    }
}
