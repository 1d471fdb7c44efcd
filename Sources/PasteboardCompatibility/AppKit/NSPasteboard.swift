public import PasteboardKit
import PasteboardTransport

/// A pasteboard in the shape of AppKit's. Each call waits for the broker.
///
/// A value is written in steps: ``clearContents()`` or ``declareTypes(_:owner:)``, and then the data of each type.
/// Other programs may see the contents between two steps. `write` of ``pasteboard`` writes all at once.
public final class NSPasteboard: Hashable, Sendable {
    /// The name of a pasteboard.
    public typealias Name = Pasteboard.Name

    /// A type of an item, by its identifier.
    public struct PasteboardType: RawRepresentable, Hashable, Sendable {
        /// The identifier.
        public let rawValue: String

        /// Makes a type from its identifier.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Makes a type from its identifier.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// Text in UTF-8.
        public static let string = PasteboardType("public.utf8-plain-text")
        /// Rows of text, with a tab between two values.
        public static let tabularText = PasteboardType("public.utf8-tab-separated-values-text")
        /// HTML.
        public static let html = PasteboardType("public.html")
        /// Rich text.
        public static let rtf = PasteboardType("public.rtf")
        /// PDF.
        public static let pdf = PasteboardType("com.adobe.pdf")
        /// An image in PNG.
        public static let png = PasteboardType("public.png")
        /// An image in TIFF.
        public static let tiff = PasteboardType("public.tiff")
        /// A URL.
        public static let URL = PasteboardType("public.url")
        /// The URL of a file.
        public static let fileURL = PasteboardType("public.file-url")
        /// Rich text with attachments, in one file.
        public static let rtfd = PasteboardType("com.apple.flat-rtfd")
        /// A colour, archived by AppKit.
        public static let color = PasteboardType("com.apple.cocoa.pasteboard.color")
        /// Attributes of characters.
        public static let font = PasteboardType("com.apple.cocoa.pasteboard.character-formatting")
        /// Attributes of paragraphs.
        public static let ruler = PasteboardType("com.apple.cocoa.pasteboard.paragraph-formatting")
        /// A sound, archived by AppKit.
        public static let sound = PasteboardType("com.apple.cocoa.pasteboard.sound")
        /// Numbers of the lines of a text in several selections.
        public static let multipleTextSelection = PasteboardType("com.apple.cocoa.pasteboard.multiple-text-selection")
        /// Options of a search in a panel.
        public static let findPanelSearchOptions = PasteboardType(
            "com.apple.cocoa.pasteboard.find-panel-search-options"
        )
        /// Options of a search in a text.
        public static let textFinderOptions = PasteboardType("com.apple.cocoa.pasteboard.text-finder-options")
        /// The contents of a file.
        public static let fileContents = PasteboardType("NXFileContentsPboardType")

        /// Makes the type of a uniform type.
        public init(_ type: UniformType) {
            self.init(type.identifier)
        }

        /// The uniform type with this identifier, or with the present one for an identifier of older systems.
        public var uniformType: UniformType {
            UniformType(importedAs: Self.formerTypes[rawValue]?.rawValue ?? rawValue)
        }

        private static let formerTypes: [String: PasteboardType] = [
            "NSStringPboardType": .string, "NSHTMLPboardType": .html, "NSRTFPboardType": .rtf,
            "NSRTFDPboardType": .rtfd, "NSPDFPboardType": .pdf, "NSTIFFPboardType": .tiff, "NSURLPboardType": .URL,
            "NSTabularTextPboardType": .tabularText,
        ]
    }

    /// The pasteboard in the shape of this package.
    public let pasteboard: Pasteboard
    let contents: StepwiseContents

    /// The steps on pasteboards of the process's own connection: every value of one name continues the same steps.
    private static let shared = Lock<[Name: StepwiseContents]>([:])

    /// Whether both are the same pasteboard.
    public static func == (a: NSPasteboard, b: NSPasteboard) -> Bool {
        a.name == b.name && a.pasteboard.connection === b.pasteboard.connection
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }

    /// The pasteboard for copy and paste.
    public static let general = NSPasteboard(name: .general)

    /// Makes the shape of AppKit for a pasteboard. All values for one pasteboard of the connection that programs use by
    /// default continue the same steps. On another connection, and for a unique pasteboard, each value begins with a
    /// clear or a declaration.
    public convenience init(_ pasteboard: Pasteboard) {
        guard pasteboard.connection === PasteboardConnection.shared, !pasteboard.isUnique else {
            self.init(pasteboard, StepwiseContents())
            return
        }
        let contents = Self.shared.withLock { shared in
            let contents = shared[pasteboard.name] ?? StepwiseContents()
            shared[pasteboard.name] = contents
            return contents
        }
        self.init(pasteboard, contents)
    }

    init(_ pasteboard: Pasteboard, _ contents: StepwiseContents) {
        self.pasteboard = pasteboard
        self.contents = contents
    }

    /// Names a pasteboard, on the connection that the program's pasteboards use by default.
    public convenience init(name: Name) {
        self.init(Pasteboard(name: name))
    }

    /// Makes an empty pasteboard with a name that no other pasteboard has. It ends with this process.
    ///
    /// - Throws: as `Pasteboard.unique`.
    public static func withUniqueName() async throws(PasteboardError) -> NSPasteboard {
        NSPasteboard(try await Pasteboard.unique())
    }

    /// Clears the pasteboard and removes it.
    ///
    /// - Throws: `not-permitted` for a pasteboard that every user has; otherwise as `Pasteboard.release`.
    public func releaseGlobally() async throws(PasteboardError) {
        try await pasteboard.release()
        if pasteboard.connection === PasteboardConnection.shared { Self.shared.withLock { $0[name] = nil } }
    }

    /// The name.
    public var name: Name { pasteboard.name }

    /// The change count, which grows with each write and clear.
    public var changeCount: Int {
        get async throws(PasteboardError) { try await count() }
    }

    package func count() async throws(PasteboardError) -> Int { try await pasteboard.changeCount.number }
}

extension Pasteboard.Name {
    /// Attributes of characters, in AppKit.
    public static let font: Pasteboard.Name = "font"
    /// Attributes of paragraphs, in AppKit.
    public static let ruler: Pasteboard.Name = "ruler"
}
