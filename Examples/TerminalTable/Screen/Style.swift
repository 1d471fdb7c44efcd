/// How a piece of text looks.
public struct Style: Sendable, Hashable {
    /// The terminal's own colours, which fit each other.
    public enum Color: UInt8, Sendable {
        /// As everything else.
        case plain = 39
        /// Something that goes well.
        case green = 32
        /// Something that waits.
        case yellow = 33
        /// Something that is refused.
        case red = 31
        /// Something to look at.
        case cyan = 36
    }

    /// Nothing special.
    public static let plain = Style()

    /// The colour; whatever it tells is told in words, too.
    public var color = Color.plain
    /// Stronger.
    public var isBold = false
    /// Weaker.
    public var isDim = false
    /// With the colours of text and ground exchanged.
    public var isReversed = false

    /// Makes a style.
    public init(_ color: Color = .plain, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false) {
        self.color = color
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

    /// What changes a terminal to it, whatever it was before.
    func sequence(hasColors: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isDim { codes += ";2" }
        if isReversed { codes += ";7" }
        if hasColors, color != .plain { codes += ";\(color.rawValue)" }
        return "\u{1B}[\(codes)m"
    }
}
