/// The scalars that terminals draw two columns wide, except for emoji, which the standard library knows: the blocks
/// with the property East_Asian_Width W or F. Unassigned scalars within them are included.
enum WideScalars {
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        return blocks.contains { $0.contains(scalar.value) }
    }

    private static let blocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul, the beginnings of syllables
        0x2329...0x232A,
        0x2E80...0x303E,  // radicals, punctuation
        0x3041...0x3247,  // Kana, Bopomofo, enclosed
        0x3250...0xA4CF,  // ideographs, Yi
        0xA960...0xA97F,
        0xAC00...0xD7A3,  // Hangul
        0xF900...0xFAFF,
        0xFE10...0xFE19,
        0xFE30...0xFE6F,
        0xFF01...0xFF60,  // full-width forms
        0xFFE0...0xFFE6,
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // Kana
        0x1F200...0x1F265,
        0x20000...0x3FFFD,  // ideographs
    ]
}
