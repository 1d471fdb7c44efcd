import FoundationEssentials
import PasteboardTransport

/// A page of the documentation. Tests run its examples, so that they stay correct.
package struct Document {
    private let text: String

    /// - Parameter path: relative to the root of the repository. If the tests cannot read the repository, the directory
    ///   in `PASTEBOARD_TEST_DOCUMENTS` has a copy.
    package init(_ path: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let directory = System.environment("PASTEBOARD_TEST_DOCUMENTS") ?? root
        text = String(decoding: try Data(contentsOf: URL(filePath: "\(directory)/\(path)")), as: UTF8.self)
    }

    /// The fenced blocks of one language, in order.
    package func blocks(_ language: String) -> [String] {
        text.split(separator: "\n```\(language)\n").dropFirst().map { block in
            block.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "```" }
                .reduce(into: "") { $0 += $1 + "\n" }
        }
    }
}
