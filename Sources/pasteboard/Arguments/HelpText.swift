/// Help for a terminal of the usual width: texts are written as paragraphs, and broken into lines here.
enum HelpText {
    static let width = 80

    /// Paragraphs, which an empty line separates. A line that begins with a space is an example and stays as it is.
    static func paragraphs(_ text: String) -> String {
        var lines: [String] = []
        var words: [Substring] = []
        func endParagraph() {
            lines += Self.lines(of: words, first: "", next: "")
            words = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.first == " " {
                endParagraph()
                lines.append(String(line))
            } else {
                words += line.split(separator: " ")
            }
        }
        endParagraph()
        return lines.joined(separator: "\n")
    }

    /// Formats two columns. Text that does not fit beside a name continues below it, in the second column.
    static func rows(_ rows: [(name: String, meaning: String)], narrowest: Int = 0, widest: Int = 28) -> String {
        let column = min(max((rows.map(\.name.count).max() ?? 0) + 4, narrowest), widest)
        let indent = String(repeating: " ", count: column)
        return rows.flatMap { row in
            let start = "  \(row.name)"
            let words = row.meaning.split(separator: " ")
            guard start.count + 2 <= column else { return [start] + lines(of: words, first: indent, next: indent) }
            return lines(of: words, first: start + indent.dropFirst(start.count), next: indent)
        }.joined(separator: "\n")
    }

    /// Words in lines of the width. A word that is longer than a line is not broken.
    ///
    /// - Parameters:
    ///   - first: the text before the first word.
    ///   - next: the text at the start of each further line.
    static func lines(of words: [Substring], first: String, next: String, width: Int = width) -> [String] {
        var lines: [String] = []
        var line = first
        var isBlank = true
        for word in words {
            if !isBlank, line.count + 1 + word.count > width {
                lines.append(line)
                line = next
                isBlank = true
            }
            line += isBlank ? word : " \(word)"
            isBlank = false
        }
        return isBlank ? lines : lines + [line]
    }
}
