import FoundationEssentials
import TestSupport
import Testing

@testable import TypeIdentifiers

@Suite("The system's table", .pure)
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

    @Test("The generated rows equal those of the file")
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

    @Test("Every closure is complete, contains only rows, and omits its own type")
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

    @Test("The rows are sorted: each row is found, and no other name")
    func search() {
        let identifiers = ConformanceTable.identifiers
        for names in [identifiers, ConformanceTable.filenameExtensions, ConformanceTable.mimeTypes] {
            let sorted = names.sorted {
                Array($0.foldedASCII.utf8).lexicographicallyPrecedes(Array($1.foldedASCII.utf8))
            }
            #expect(names == sorted)
        }
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

    @Test("Every type with a tag is found, in the order of the file")
    func claimants() throws {
        let rows = try Self.rows()
        let classes: [(UniformType.TagClass, (Row) -> [String])] = [
            (.filenameExtension, \.extensions), (.mimeType, \.mimeTypes),
        ]
        for (tagClass, tags) in classes {
            for tag in Set(rows.flatMap(tags).map(\.foldedASCII)) {
                let expected = rows.filter { tags($0).contains { $0.foldedASCII == tag } }.map(\.identifier)
                #expect(Array(ConformanceTable.claimants(of: tag, tagClass)) == expected)
                #expect(Array(ConformanceTable.claimants(of: tag.uppercased(), tagClass)) == expected)
                let found = UniformType.types(tag: tag, tagClass: tagClass, conformingTo: nil)
                // Concurrent tests declare their own types, which follow these.
                #expect(found.map(\.identifier).starts(with: expected))
            }
        }
    }

    @Test("The source of the constants has a line with the name and the identifier of each row that names one")
    func constantLines() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/TypeIdentifiers")
        let table = try String(contentsOf: folder.appending(path: "Table/uttypes.tsv"), encoding: .utf8)
        let code = try String(
            contentsOf: folder.appending(path: "UniformType/UniformType+Constants.swift"),
            encoding: .utf8
        )
        var count = 0
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count > 5, !fields[5].isEmpty else { continue }
            count += 1
            #expect(code.contains("static var \(fields[5]): UniformType { UniformType(known: \"\(fields[0])\") }"))
        }
        #expect(count == 139)
        #expect(code.split(separator: "\n").count { $0.contains("public static var") } == count)
    }

    @Test("Some constants have the identifiers of their rows")
    func constants() {
        #expect(UniformType.png.identifier == "public.png")
        #expect(UniformType.package.identifier == "com.apple.package")
        #expect(UniformType.gif.identifier == "com.compuserve.gif")
        #expect(UniformType.utf8PlainText.conforms(to: .plainText))
        #expect(UniformType.internetShortcut.identifier == "com.microsoft.internet-shortcut")
    }
}
