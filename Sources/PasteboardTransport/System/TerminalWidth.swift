import CPasteboardSystem
import Glibc

/// The number of columns that a terminal needs for a text.
package enum TerminalWidth {
    /// A UTF-8 locale of the C library, because only such a locale has a table of widths. Without it, every character
    /// counts as one column.
    ///
    /// A pointer is not Sendable. This one is safe to share: it is set once, and the locale is only read.
    nonisolated(unsafe) private static let locale = newlocale(CInt(1) << LC_CTYPE, "C.UTF-8", nil)

    package static func of(_ text: String) -> Int {
        // The common case, without loading a locale.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        guard let locale = Self.locale else { return text.count }
        let before = uselocale(locale)
        defer { uselocale(before) }
        return text.reduce(0) { $0 + Self.columns(of: $1) }
    }

    /// An emoji of several scalars is as wide as one of a single scalar.
    private static func columns(of character: Character) -> Int {
        var sum = 0
        for scalar in character.unicodeScalars { sum += max(0, Int(wcwidth(wchar_t(scalar.value)))) }
        return min(2, sum)
    }
}
