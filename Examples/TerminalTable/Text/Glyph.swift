/// What a terminal draws at one place: a character as a reader sees it, and how many columns it takes.
///
/// The width is that of the whole character, not the sum of its scalars: a family of four, a flag and a letter with three
/// accents are one glyph each. Terminals do not agree about such characters, so a glyph also knows whether all of them do;
/// after one that is not certain, whoever draws says where to go on.
public struct Glyph: Sendable, Hashable {
    /// What stands for a character that is not shown.
    static let replacement = Glyph(text: "\u{FFFD}", columns: 1, isCertain: false)
    static let space = Glyph(text: " ", columns: 1, isCertain: true)
    /// Nobody writes more accents on a letter, and a stranger's name may have thousands.
    static let scalars = 24

    /// What to write.
    public let text: String
    /// 1 or 2.
    public let columns: Int
    /// Whether every terminal takes as many columns for it.
    let isCertain: Bool

    private init(text: String, columns: Int, isCertain: Bool) {
        self.text = text
        self.columns = columns
        self.isCertain = isCertain
    }

    /// The glyph of a character, whoever wrote it. Nothing that it holds makes a terminal do anything but draw.
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
        // What has no width of its own would be drawn onto its neighbour.
        self.init(text: columns == 0 ? " " + text : text, columns: max(columns, 1), isCertain: false)
    }

    /// Its picture, for the control characters that have one.
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
        // A flag of two letters, what is shown as a picture because of its nature or because it says so, and key caps.
        if first.isRegionalIndicator || first.properties.isEmojiPresentation { return 2 }
        if first.properties.isEmoji, scalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return min(scalars.reduce(0) { $0 + $1.columns }, 2)
    }
}

extension Unicode.Scalar {
    fileprivate var isRegionalIndicator: Bool { 0x1F1E6...0x1F1FF ~= value }

    /// What moves the cursor, ends the line, or turns its direction.
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
        // The vowels and ends of Hangul syllables join the wide beginning.
        default: 0x1160...0x11FF ~= value ? 0 : WideScalars.contains(self) ? 2 : 1
        }
    }
}

extension WideScalars {
    /// Letters that are old in Unicode, lines and blocks, and ideographs; not the hyphen that is shown only at ends of lines.
    fileprivate static func isCertain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0xAC, 0xAE...0x2FF, 0x0391...0x03C9, 0x0410...0x044F, 0x2500...0x259F, 0x3041...0x3096,
            0x30A1...0x30FA, 0x4E00...0x9FA5, 0xAC00...0xD7A3:
            true
        default: false
        }
    }
}
