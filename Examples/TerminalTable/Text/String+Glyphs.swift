extension String {
    /// The glyphs that a terminal draws for the string.
    var glyphs: [Glyph] { map(Glyph.init) }

    /// The number of columns that the string takes in a terminal.
    var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }

    /// The string; if it takes more columns, its beginning and an ellipsis.
    public func shortened(to columns: Int) -> String {
        glyphs(atMost: columns + 1).fitting(columns).reduce(into: "") { $0 += $1.text }
    }

    /// The first glyphs, at most `count`. Only as much of the string is read as these glyphs can consist of.
    func glyphs(atMost count: Int) -> [Glyph] {
        let count = max(count, 0)
        let beginning = String(unicodeScalars.prefix(count * Glyph.scalars))
        return beginning.prefix(count).map(Glyph.init)
    }

    /// The words in lines of a given width. The last line contains all remaining words.
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
    /// As many glyphs as fit, with an ellipsis if some do not.
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
