/// The appearance of a piece of text.
struct Style: Equatable {
    /// The terminal's own colours, which match its theme.
    enum Color: UInt8 {
        /// The default colour.
        case plain = 39
        /// Success.
        case green = 32
        /// Waiting.
        case yellow = 33
        /// A refusal.
        case red = 31
        /// Emphasis.
        case cyan = 36
    }

    /// The default style.
    static let plain = Style()

    /// The colour. Everything that it expresses is also expressed in words.
    var color = Color.plain
    /// Whether the text is bold.
    var isBold = false
    /// Whether the text is dim.
    var isDim = false
    /// Whether the colours of text and background are exchanged.
    var isReversed = false

    /// The escape sequence that sets the style, independent of the current style.
    func sequence(hasColors: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isDim { codes += ";2" }
        if isReversed { codes += ";7" }
        if hasColors, color != .plain { codes += ";\(color.rawValue)" }
        return "\u{1B}[\(codes)m"
    }
}
