import FoundationEssentials
import TestSupport
import Testing
import TypeIdentifiers

/// The answers were computed by `Resources/questions.py`, which shares neither code nor algorithm with the library.
@Suite("Questions with precomputed answers", .pure)
struct QuestionTests {
    private typealias Question = (kind: String, arguments: [String], answer: String)

    private static func questions(_ kinds: Set<String>) throws -> [Question] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Resources/questions.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard let kind = fields.first, let answer = fields.last, kinds.contains(kind) else { return nil }
            return (kind, Array(fields.dropFirst().dropLast()), answer)
        }
    }

    @Test("Which types conform to which")
    func conformance() throws {
        let questions = try Self.questions(["conforms"])
        #expect(questions.count == 800)
        for (_, arguments, answer) in questions {
            let type = try #require(UniformType(arguments[0]))
            let target = try #require(UniformType(arguments[1]))
            #expect(type.conforms(to: target) == (answer == "yes"), "\(type) and \(target)")
            #expect(type.isSubtype(of: target) == (answer == "yes"), "\(type) and \(target)")
            #expect(target.isSupertype(of: type) == (answer == "yes"), "\(type) and \(target)")
        }
    }

    @Test("All supertypes, and the preferred tags")
    func types() throws {
        let questions = try Self.questions(["supertypes", "extension-of", "mime-type-of"])
        #expect(questions.count > 800)
        for (kind, arguments, answer) in questions {
            let type = try #require(UniformType(arguments[0]))
            switch kind {
            case "supertypes":
                #expect(type.supertypes.map(\.identifier).sorted().joined(separator: ",") == answer, "\(type)")
            case "extension-of":
                #expect(type.preferredFilenameExtension ?? "" == answer, "\(type)")
            default:
                #expect(type.preferredMIMEType ?? "" == answer, "\(type)")
            }
        }
    }

    @Test("The best type for a tag, declared or dynamic, with and without a required supertype")
    func tags() throws {
        let questions = try Self.questions(["extension", "mime-type"])
        #expect(questions.count > 1000)
        for (kind, arguments, answer) in questions {
            let supertype = UniformType(arguments[1])
            let tagClass: UniformType.TagClass = kind == "extension" ? .filenameExtension : .mimeType
            let type = UniformType(tag: arguments[0], tagClass: tagClass, conformingTo: supertype)
            #expect(type?.identifier == answer, "\(arguments[0]) as \(arguments[1])")
            let capitals = UniformType(tag: arguments[0].uppercased(), tagClass: tagClass, conformingTo: supertype)
            if arguments[0].utf8.allSatisfy({ $0 < 0x80 }) { #expect(capitals == type, "\(arguments[0])") }
        }
    }
}
