import PasteboardCompatibility

/// Offers documents so that others can open them where they are, and whole folders.
enum DocumentBrowser {
    static func itemProvider(forDocumentAt url: URL) -> NSItemProvider? {
        NSItemProvider(contentsOf: url)
    }

    static func sharedItemProvider(forDocumentAt url: URL) -> NSItemProvider {
        let itemProvider = NSItemProvider()
        itemProvider.suggestedName = url.deletingPathExtension().lastPathComponent
        itemProvider.registerFileRepresentation(
            forTypeIdentifier: UTType.plainText.identifier,
            fileOptions: [.openInPlace],
            visibility: .all
        ) { completion in
            completion(url, true, nil)
            return nil
        }
        return itemProvider
    }

    static func itemProvider(forFolderAt url: URL) -> NSItemProvider {
        let itemProvider = NSItemProvider()
        itemProvider.suggestedName = url.lastPathComponent
        itemProvider.registerFileRepresentation(for: .folder, visibility: .all, openInPlace: false) { completion in
            completion(url, false, nil)
            return nil
        }
        return itemProvider
    }

    /// Opens the original if that may be done, else a copy; tells which.
    static func open(
        _ itemProvider: NSItemProvider,
        completionHandler: @escaping @Sendable (_ text: String?, _ isOriginal: Bool, _ error: Error?) -> Void
    ) {
        let identifier = UTType.plainText.identifier
        guard itemProvider.registeredTypeIdentifiers(fileOptions: .openInPlace).contains(identifier) else {
            itemProvider.loadFileRepresentation(for: .text, openInPlace: false) { url, isInPlace, error in
                completionHandler(url.flatMap(read), isInPlace, error)
            }
            return
        }
        itemProvider.loadInPlaceFileRepresentation(forTypeIdentifier: identifier) { url, isInPlace, error in
            completionHandler(url.flatMap(read), isInPlace, error)
        }
    }

    /// The names of what is in a folder, in order.
    static func list(
        _ itemProvider: NSItemProvider,
        completionHandler: @escaping @Sendable (_ name: String?, _ contents: [String]) -> Void
    ) {
        itemProvider.loadFileRepresentation(forTypeIdentifier: UTType.directory.identifier) { url, error in
            guard let url, error == nil else { return completionHandler(nil, []) }
            let contents = try? FileManager.default.contentsOfDirectory(atPath: url.path)
            completionHandler(url.lastPathComponent, (contents ?? []).sorted())
        }
    }

    @Sendable private static func read(_ url: URL) -> String? {
        try? String(contentsOf: url, encoding: .utf8)
    }
}
