import PasteboardWire
import ProtocolVectors

/// The tables of `Protocol.md`.
struct ProtocolText {
    private let sections: [String: [Substring]]

    init() {
        let text = Repository.text("Sources/PasteboardWire/PasteboardWire.docc/Protocol.md")
        var sections: [String: [Substring]] = [:]
        var title = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { title = String(line.dropFirst(3)) }
            sections[title, default: []].append(line)
        }
        self.sections = sections
    }

    /// The cells of all table rows in a section that begin with a number.
    func rows(of section: String) -> [(number: UInt32, name: String, rest: [String])] {
        self.cells(of: section).compactMap { cells in
            guard cells.count > 1, let number = UInt32(cells[0]) else { return nil }
            return (number, cells[1].filter { $0 != "`" }, Array(cells.dropFirst(2)))
        }
    }

    /// The values of the rows in a section that end with a number.
    func values(of section: String) -> [String: Int] {
        var values: [String: Int] = [:]
        for cells in self.cells(of: section) {
            guard cells.count == 2, let value = Int(cells[1]) else { continue }
            values[cells[0]] = value
        }
        return values
    }

    /// The cells of all table rows in a section.
    func cells(of section: String) -> [[String]] {
        (sections[section] ?? []).filter { $0.hasPrefix("| ") }.map { line in
            line.split(separator: "|").map { $0.trimmed }
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
