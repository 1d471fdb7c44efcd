import TestSupport
import Testing
import TypeIdentifiers

/// The declarations are process-wide, so each test uses its own type names.
@Suite("A program's own types", .pure)
struct DeclarationTests {
    @Test("An exported type is known from then on, and is data by default")
    func exported() {
        #expect(UniformType("com.example.exported") == nil)
        let type = UniformType(exportedAs: "com.example.exported")
        #expect(UniformType("COM.example.exported") == type)
        #expect(type.isDeclared)
        #expect(type.conforms(to: .data))
        #expect(UniformType(exportedAs: "com.example.exported-json", conformingTo: .json).conforms(to: .text))
    }

    @Test("An imported type without a parent is data and is not declared; with a parent it is declared")
    func imported() {
        let mention = UniformType(importedAs: "com.example.mentioned")
        #expect(mention.conforms(to: .data))
        #expect(UniformType("com.example.mentioned") == nil)
        #expect(UniformType(importedAs: "com.example.imported", conformingTo: .image).conforms(to: .image))
        #expect(UniformType("com.example.imported")?.conforms(to: .image) == true)
        #expect(!UniformType(importedAs: "public.folder").conforms(to: .data))
    }

    @Test("The first declaration wins within its rank, and a higher rank replaces a lower one")
    func ranks() {
        let name = "com.example.ranked"
        #expect(UniformType(importedAs: name, conformingTo: .image).conforms(to: .image))
        #expect(UniformType(importedAs: name, conformingTo: .audio).conforms(to: .image))
        let exported = UniformType(exportedAs: name, conformingTo: .text)
        #expect(exported.conforms(to: .text) && !exported.conforms(to: .image))
        let described = UniformType.declare(name, conformingTo: [.json, .spreadsheet])
        #expect(described.conforms(to: .json) && described.conforms(to: .spreadsheet))
        #expect(UniformType.declare(name, conformingTo: [.audio]).conforms(to: .json))
        #expect(UniformType(exportedAs: name, conformingTo: .audio).conforms(to: .json))
    }

    @Test("The system's types, dynamic identifiers and invalid ones cannot be declared")
    func reserved() {
        #expect(!UniformType(exportedAs: "public.png", conformingTo: .audio).conforms(to: .audio))
        #expect(!UniformType.declare("DYN.ah62d4rv4ge81k553", conformingTo: [.audio]).conforms(to: .audio))
        UniformType.declare("not an identifier", conformingTo: [.audio])
        #expect(UniformType("not an identifier") == nil)
    }

    @Test("Declared types with a tag are found after the system's")
    func tags() {
        let type = UniformType.declare(
            "com.example.tagged",
            conformingTo: [.json],
            tags: [.filenameExtension: ["Tagged", "json"], .mimeType: ["application/x-tagged"]]
        )
        #expect(UniformType(filenameExtension: "tagged") == type)
        #expect(UniformType(mimeType: "application/X-tagged; a=b") == type)
        #expect(UniformType(filenameExtension: "json") == .json)
        #expect(UniformType.types(tag: "json", tagClass: .filenameExtension, conformingTo: nil) == [.json, type])
        #expect(type.preferredFilenameExtension == "Tagged")
        #expect(UniformType(filenameExtension: "tagged", conformingTo: .image)?.isDynamic == true)
    }

    @Test("Declared types may conform to each other, even in a circle")
    func circle() {
        let first = UniformType.declare(
            "com.example.circle-1",
            conformingTo: [UniformType(importedAs: "com.example.circle-2", conformingTo: .data)]
        )
        let second = UniformType.declare("com.example.circle-2", conformingTo: [first, .text])
        #expect(first.conforms(to: second) && second.conforms(to: first))
        #expect(first.conforms(to: .text))
        #expect(first.supertypes.count == second.supertypes.count)
        #expect(!first.supertypes.contains(first))
    }
}
