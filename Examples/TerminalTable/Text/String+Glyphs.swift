extension String {
    /// What a terminal draws for it.
    public var glyphs: [Glyph] { map(Glyph.init) }

    /// How many columns it takes in a terminal.
    public var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }
}

extension [Glyph] {
    /// As many of them as fit, with an ellipsis where some did not.
    func fitting(_ columns: Int) -> [Glyph] {
        guard reduce(0, { $0 + $1.columns }) > columns else { return self }
        guard columns > 0 else { return [] }
        var room = columns - 1
        let kept = prefix { glyph in
            room -= glyph.columns
            return room >= 0
        }
        return kept + [Glyph("…")]
    }
}
