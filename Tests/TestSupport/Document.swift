import FoundationEssentials
import PasteboardTransport

/// A page of the documentation. Tests run what it shows, so that it stays true.
package struct Document {
    private let text: String

    /// - Parameter path: below the root of the repository. Where the tests may not read that, a copy is in the directory
    ///   that `PASTEBOARD_TEST_DOCUMENTS` names.
    package init(_ path: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let directory = System.environment("PASTEBOARD_TEST_DOCUMENTS") ?? root
        text = String(decoding: try Data(contentsOf: URL(filePath: "\(directory)/\(path)")), as: UTF8.self)
    }

    /// The fenced blocks of one language, in their order.
    package func blocks(_ language: String) -> [String] {
        text.split(separator: "\n```\(language)\n").dropFirst().map { block in
            block.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0 != "```" }
                .reduce(into: "") { $0 += $1 + "\n" }
        }
    }
}
