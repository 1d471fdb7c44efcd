/// The appearance of a piece of text.
public struct Style: Sendable, Hashable {
    /// The terminal's own colours, which match its theme.
    public enum Color: UInt8, Sendable {
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
    public static let plain = Style()

    /// The colour. Everything that it expresses is also expressed in words.
    public var color = Color.plain
    /// Whether the text is bold.
    public var isBold = false
    /// Whether the text is dim.
    public var isDim = false
    /// Whether the colours of text and background are exchanged.
    public var isReversed = false

    /// Makes a style.
    public init(_ color: Color = .plain, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        self.color = color
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

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
