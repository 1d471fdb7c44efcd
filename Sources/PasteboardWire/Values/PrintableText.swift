extension Unicode.Scalar {
    /// Whether the scalar is a control character: C0, DEL or C1. Unicode never changes this category, so its tables,
    /// which would become resident with the first label, are not needed.
    package var isControl: Bool { value < 0x20 || 0x7F...0x9F ~= value }

    /// Whether the scalar changes a terminal or the order of a line instead of being displayed.
    package var isHarmful: Bool {
        switch value {
        // Line and paragraph separators, and controls of the text direction.
        case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        default: isControl
        }
    }
}

extension String {
    /// The string without control characters: for names and titles, whose direction of text is part of them.
    package var withoutControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isControl }))
    }

    /// The string without the characters that change a terminal: for one line of text that another process has chosen.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isHarmful) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isHarmful }))
    }
}

extension String {
    /// The string with harmful characters in visible form: a control character of ASCII as `^X`, so that `^[` is
    /// escape, and the bytes of others as `\xNN`.
    package var visible: String {
        guard unicodeScalars.contains(where: \.isHarmful) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isHarmful {
                for byte in String(scalar).utf8 { text += byte.visible }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension UInt8 {
    /// The visible form of a control character, or of a byte above 0x7F.
    package var visible: String {
        // Bytes above 0x7F have two digits.
        self < 0x80 ? "^\(Unicode.Scalar(self ^ 0x40))" : "\\x" + String(self, radix: 16, uppercase: true)
    }
}
