import PasteboardCompatibility

/// Shares a web page as a link, as its source and as its title; the title is made when somebody asks for it.
struct LinkShare: Sendable {
    let url: URL
    let title: String

    func itemProvider(titleLookup: @escaping @Sendable () -> Void = {}) -> NSItemProvider {
        let itemProvider = NSItemProvider(object: url as NSURL)
        let (url, title) = (url, title)
        itemProvider.registerDataRepresentation(forTypeIdentifier: UTType.html.identifier, visibility: .all) {
            (completion: @escaping (Data?, Error?) -> Void) -> Progress? in
            let page = "<a href=\"\(url.absoluteString)\">\(title)</a>"
            completion(page.data(using: .utf8), nil)
            return nil
        }
        itemProvider.registerObject(ofClass: NSString.self, visibility: .all) { completion in
            titleLookup()
            completion(title as NSString, nil)
            return nil
        }
        return itemProvider
    }
}

extension NSItemProvider {
    /// The usual bridge from callbacks to async code.
    func loadURL() async throws -> URL {
        try await withCheckedThrowingContinuation { continuation in
            _ = loadObject(ofClass: URL.self) { url, error in
                switch (url, error) {
                case (let url?, _): continuation.resume(returning: url)
                case (nil, let error?): continuation.resume(throwing: error)
                case (nil, nil): continuation.resume(throwing: CocoaError(.coderValueNotFound))
                }
            }
        }
    }

    func loadString(ofType type: UTType) async throws -> String {
        let data: Data = try await withCheckedThrowingContinuation { continuation in
            loadDataRepresentation(for: type) { data, error in
                if let data {
                    continuation.resume(returning: data)
                } else {
                    continuation.resume(throwing: error ?? CocoaError(.coderValueNotFound))
                }
            }
        }
        return String(decoding: data, as: UTF8.self)
    }
}

/// Reads what was shared, best first.
enum LinkReader {
    static func markdown(from itemProvider: NSItemProvider) async throws -> String {
        let url = try await itemProvider.loadURL()
        guard itemProvider.canLoadObject(ofClass: NSString.self) else { return "<\(url.absoluteString)>" }
        let title = try await itemProvider.loadString(ofType: .plainText)
        return "[\(title)](\(url.absoluteString))"
    }
}
