import FoundationEssentials
import PasteboardTransport

/// A page of the documentation. Tests run its examples, so that they stay correct.
package struct Document {
    private let text: String

    /// The root of the repository. If the tests cannot read it, the directory in `PASTEBOARD_TEST_DOCUMENTS` has copies
    /// of what they need.
    package static var root: String {
        System.environment("PASTEBOARD_TEST_DOCUMENTS")
            ?? "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    }

    /// - Parameter path: relative to the root of the repository.
    package init(_ path: String) throws {
        text = String(decoding: try Data(contentsOf: URL(filePath: "\(Self.root)/\(path)")), as: UTF8.self)
    }

    package var lines: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The fenced blocks of one language, in order.
    package func blocks(_ language: String) -> [String] {
        text.split(separator: "\n```\(language)\n").dropFirst().map { block in
            block.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "```" }
                .reduce(into: "") { $0 += $1 + "\n" }
        }
    }

    /// The cells of the table whose header begins with this cell: the header, then the rows, without code marks.
    package func table(_ title: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(title) |") }) else { return [] }
        let rows = lines[start...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { cell in String(cell.filter { $0 != "`" }).trimmingBlanks }
        }
        // The second line only separates the header.
        return rows.enumerated().filter { $0.offset != 1 }.map(\.element)
    }

    /// The cells of all lines of a file with columns that tabs separate.
    package var columns: [[String]] {
        text.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
