extension UIPasteboard {
    /// A pattern that is looked for in the text of a pasteboard.
    public enum DetectionPattern: Sendable, Hashable, CaseIterable {
        /// The whole text is a number.
        case number
        /// The whole text is probably the URL of a web page, perhaps without its scheme.
        case probableWebURL
        /// The whole text is one short line of words, which a person may want to search for.
        case probableWebSearch
        /// The text contains URLs of the schemes http, https, ftp and mailto.
        case link
        /// The text contains e-mail addresses.
        case emailAddress
        /// The text contains phone numbers.
        case phoneNumber
    }

    /// A place at which a pattern was found.
    public struct DetectedValue: Sendable, Hashable {
        /// The pattern.
        public let pattern: DetectionPattern
        /// The index of the item.
        public let item: Int
        /// The text that fits the pattern.
        public let text: String
        /// The offsets of the text in the item's text, in bytes of UTF-8.
        public let utf8Range: Range<Int>
    }
}
