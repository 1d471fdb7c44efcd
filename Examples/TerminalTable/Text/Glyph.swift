/// A character as the reader sees it, and the number of columns that a terminal draws it in.
///
/// The width is that of the whole character, not the sum of its scalars: a family of four, a flag and a letter with
/// three accents are one glyph each. Terminals do not agree on the width of such characters, so a glyph also contains
/// whether all of them do. After a glyph with an uncertain width the cursor position has to be set explicitly.
struct Glyph: Equatable {
    /// The replacement for a character that is not shown.
    static let replacement = Glyph(text: "\u{FFFD}", columns: 1, isCertain: false)
    /// The maximum number of scalars of a glyph. No language puts more accents on a letter, but a peer's name may have
    /// thousands.
    static let scalars = 24

    /// The text to write.
    let text: String
    /// The number of columns, 1 or 2.
    let columns: Int
    /// Whether every terminal uses this number of columns.
    let isCertain: Bool

    private init(text: String, columns: Int, isCertain: Bool) {
        self.text = text
        self.columns = columns
        self.isCertain = isCertain
    }

    /// Makes the glyph of a character that may be untrusted. Its text is only drawn and never controls the terminal.
    init(_ character: Character) {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, !scalars.contains(where: \.isControl) else {
            self = Self(control: character)
            return
        }
        if scalars.count == 1, WideScalars.isCertain(first) {
            self.init(text: String(first), columns: WideScalars.contains(first) ? 2 : 1, isCertain: true)
            return
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars.prefix(Self.scalars))
        let columns = Self.columns(of: text)
        // A character of zero width would be drawn onto its neighbour.
        self.init(text: columns == 0 ? " " + text : text, columns: max(columns, 1), isCertain: false)
    }

    /// Makes the control picture of a control character, if there is one.
    private init(control character: Character) {
        guard let value = character.unicodeScalars.first?.value, character.unicodeScalars.count == 1, value < 0x20,
            let picture = Unicode.Scalar(0x2400 + value)
        else {
            self = .replacement
            return
        }
        self.init(text: String(picture), columns: 1, isCertain: false)
    }

    private static func columns(of text: String) -> Int {
        let scalars = text.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // Flags of two letters, emoji by default or by a variation selector, and key caps.
        if first.isRegionalIndicator || first.properties.isEmojiPresentation { return 2 }
        if first.properties.isEmoji, scalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return min(scalars.reduce(0) { $0 + $1.columns }, 2)
    }
}

extension Unicode.Scalar {
    fileprivate var isRegionalIndicator: Bool { 0x1F1E6...0x1F1FF ~= value }

    /// Whether the scalar moves the cursor, ends the line or changes its direction.
    fileprivate var isControl: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        default: false
        }
    }

    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        // The vowels and final consonants of Hangul syllables combine with the wide first consonant.
        default: 0x1160...0x11FF ~= value ? 0 : WideScalars.contains(self) ? 2 : 1
        }
    }
}

extension WideScalars {
    /// Whether all terminals agree on the width: long-established letters, box drawing and blocks, and ideographs, but
    /// not the soft hyphen.
    fileprivate static func isCertain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0xAC, 0xAE...0x2FF, 0x0391...0x03C9, 0x0410...0x044F, 0x2500...0x259F, 0x3041...0x3096,
            0x30A1...0x30FA, 0x4E00...0x9FA5, 0xAC00...0xD7A3:
            true
        default: false
        }
    }
}
