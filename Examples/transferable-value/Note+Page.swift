import PasteboardCompatibility

extension Note {
    /// The folder of the pages that this process has written. The program removes it at its end.
    static let pages = URL.temporaryDirectory.appending(component: "transferable-value-\(UUID().uuidString)")

    /// Writes a page into a file of the note, which replaces that of an earlier load.
    func writePage() throws -> URL {
        let page = "<h1>\(title.escaped)</h1><p>\(text.escaped)</p>"
        try FileManager.default.createDirectory(at: Self.pages, withIntermediateDirectories: true)
        let file = Self.pages.appending(component: "\(title).html")
        try Data(page.utf8).write(to: file, options: .atomic)
        return file
    }

    /// Reads the heading and the first paragraph of a page.
    init(page: String) throws {
        guard let title = page.element("h1") else {
            throw PasteboardError(.refused, message: "the page has no heading that could be the title of a note")
        }
        self.init(title: title, text: page.element("p") ?? "")
    }
}

extension String {
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// The contents of the first element of this name.
    fileprivate func element(_ name: String) -> String? {
        guard let start = firstRange(of: "<\(name)>") else { return nil }
        let rest = self[start.upperBound...]
        guard let end = rest.firstRange(of: "</\(name)>") else { return nil }
        let content = String(rest[..<end.lowerBound])
        return content.replacing("&lt;", with: "<").replacing("&amp;", with: "&")
    }
}
