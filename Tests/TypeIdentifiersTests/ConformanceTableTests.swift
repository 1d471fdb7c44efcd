import FoundationEssentials
import Testing

@testable import TypeIdentifiers

@Suite("The system's table")
struct ConformanceTableTests {
    struct Row {
        let identifier: String
        let supertypes: [String]
        let extensions: [String]
        let mimeTypes: [String]
    }

    private static func rows() throws -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/TypeIdentifiers/Table/uttypes.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { field in
                field.split(separator: ",").map(String.init)
            }
            return Row(identifier: fields[0][0], supertypes: fields[1], extensions: fields[2], mimeTypes: fields[3])
        }
    }

    @Test("The generated rows say what the file says")
    func generated() throws {
        let rows = try Self.rows()
        #expect(ConformanceTable.identifiers.count == rows.count)
        for row in rows {
            let type = try #require(UniformType(row.identifier))
            #expect(type.tags[.filenameExtension, default: []] == row.extensions)
            #expect(type.tags[.mimeType, default: []] == row.mimeTypes)
            #expect(Set(row.supertypes).isSubset(of: type.supertypeIdentifiers))
        }
    }

    @Test("Every closure is whole, names only rows, and leaves its own type out")
    func closures() throws {
        let direct = Dictionary(uniqueKeysWithValues: try Self.rows().map { ($0.identifier, $0.supertypes) })
        for identifier in direct.keys {
            var whole: Set<String> = []
            var pending = direct[identifier, default: []]
            while let next = pending.popLast() {
                if whole.insert(next).inserted { pending += try #require(direct[next]) }
            }
            let row = try #require(ConformanceTable.row(of: identifier))
            let closure = ConformanceTable.supertypes(of: row)
            #expect(Set(closure) == whole)
            #expect(closure.count == whole.count)
            #expect(!closure.contains(identifier))
        }
    }

    @Test("The rows are sorted, so each is found, and nothing around them is")
    func search() {
        let identifiers = (0..<ConformanceTable.identifiers.count).map { ConformanceTable.identifiers[$0] }
        #expect(
            identifiers
                == identifiers.sorted {
                    Array($0.foldedASCII.utf8).lexicographicallyPrecedes(Array($1.foldedASCII.utf8))
                }
        )
        for (row, identifier) in identifiers.enumerated() {
            #expect(ConformanceTable.row(of: identifier) == row)
            #expect(ConformanceTable.row(of: identifier.uppercased()) == row)
            #expect(ConformanceTable.row(of: identifier + "!") == nil)
            #expect(ConformanceTable.row(of: identifier + " ") == nil)
            #expect(TypeIdentifier.isWellFormed(identifier))
        }
        for stranger in ["", " ", "a", "zzz", "public", "public.", "\u{FFFF}"] {
            #expect(ConformanceTable.row(of: stranger) == nil)
        }
    }

    @Test("Constants have the identifiers of their rows")
    func constants() {
        #expect(UniformType.png.identifier == "public.png")
        #expect(UniformType.package.identifier == "com.apple.package")
        #expect(UniformType.gif.identifier == "com.compuserve.gif")
        #expect(UniformType.utf8PlainText.conforms(to: .plainText))
        #expect(UniformType.internetShortcut.identifier == "com.microsoft.internet-shortcut")
    }
}
