extension String {
    /// What a terminal draws for it.
    public var glyphs: [Glyph] { map(Glyph.init) }

    /// How many columns it takes in a terminal.
    public var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }

    /// It, or, if it takes more columns, its beginning and an ellipsis.
    public func shortened(to columns: Int) -> String {
        glyphs(atMost: columns + 1).fitting(columns).reduce(into: "") { $0 += $1.text }
    }

    /// The first of its glyphs, at most so many. However long it is, no more of it is looked at than they can be made of.
    func glyphs(atMost count: Int) -> [Glyph] {
        let count = max(count, 0)
        let beginning = String(unicodeScalars.prefix(count * Glyph.scalars))
        return beginning.prefix(count).map(Glyph.init)
    }

    /// Its words in lines of a width, the last of which has all that is left.
    func wrapped(to columns: Int, lines count: Int) -> [String] {
        var lines = [""]
        for word in split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if lines.count < count, line.columns + 1 + String(word).columns > columns {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] += " " + word
            }
        }
        return lines
    }
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
