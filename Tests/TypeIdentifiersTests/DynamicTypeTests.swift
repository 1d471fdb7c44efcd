import TestSupport
import Testing

@testable import TypeIdentifiers

@Suite("Dynamic types", .pure)
struct DynamicTypeTests {
    struct Vector {
        let identifier: String
        let tagClass: UniformType.TagClass
        let tag: String
        let supertype: UniformType
    }

    static let vectors = [
        Vector(identifier: "dyn.ah62d4rv4ge80c6xmq2", tagClass: .filenameExtension, tag: "arif", supertype: .data),
        Vector(
            identifier: "dyn.ah62d4rv4gu8zs3pcnzme2641rf4guzdmsv0gn64uqm10c6xenv61a3k",
            tagClass: .init(rawValue: "com.apple.nspboard-type"),
            tag: "WebURLsWithTitlesPboardType",
            supertype: .data
        ),
        Vector(identifier: "dyn.ah62d4rv4ge80g62", tagClass: .filenameExtension, tag: "cs", supertype: .data),
        Vector(identifier: "dyn.ah62d4rv4ge81u8p4", tagClass: .filenameExtension, tag: "xyz", supertype: .data),
        Vector(identifier: "dyn.ah62d4rv4ge81k553", tagClass: .filenameExtension, tag: "toy", supertype: .data),
        Vector(identifier: "dyn.ah62d4r34ge80q55t", tagClass: .filenameExtension, tag: "foo", supertype: .text),
        Vector(
            identifier: "dyn.ah62d4rv4gq80c6durvy0g2pyrf106p52fzxg852",
            tagClass: .mimeType,
            tag: "application/x-foo",
            supertype: .data
        ),
        Vector(
            identifier: "dyn.ah62d4rv4gq81k3p2su11uppzr3z06551r2",
            tagClass: .mimeType,
            tag: "text/x-unknown",
            supertype: .data
        ),
    ]

    @Test("Known identifiers are made from their tags and read back", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let made = try #require(
            UniformType(tag: vector.tag, tagClass: vector.tagClass, conformingTo: vector.supertype)
        )
        #expect(made.identifier == vector.identifier)
        let read = try #require(UniformType(vector.identifier))
        #expect(read.isDynamic)
        #expect(!read.isDeclared)
        #expect(!read.isPublic)
        #expect(read.tags == [vector.tagClass: [vector.tag]])
        #expect(read.conforms(to: vector.supertype))
        // A MIME database may add supertypes of a tag.
        #expect(read.supertypes.isSuperset(of: vector.supertype.supertypes.union([vector.supertype])))
        #expect(DynamicType(vector.identifier)?.supertypes == [vector.supertype.identifier])
        #expect(read.localizedDescription == nil)
    }

    @Test("Supertypes without a code are spelled out, and without supertypes the field is omitted")
    func supertypes() throws {
        let image = try #require(UniformType(filenameExtension: "foo", conformingTo: .image))
        #expect(image.conforms(to: .image))
        #expect(image.conforms(to: .content))
        #expect(image.preferredFilenameExtension == "foo")
        let none = try #require(UniformType(tag: "foo", tagClass: .filenameExtension, conformingTo: nil))
        #expect(none.identifier.hasPrefix("dyn.age8"))
        #expect(none.supertypes.isEmpty)
        #expect(none.preferredFilenameExtension == "foo")
    }

    @Test("An unknown supertype code stands for data")
    func unknownCode() throws {
        let identifier = "dyn.a" + Base32.encode(Array("?0=C,public.text:1=a,b".utf8))
        let type = try #require(DynamicType(identifier))
        #expect(type.supertypes == ["public.data", "public.text"])
        #expect(type.tags == [.filenameExtension: ["a", "b"]])
    }

    @Test("Separators in a tag are preserved", arguments: ["a,b", "a:b", "a=b", "a\\b", "\\", ",:=\\", "?", "ä☃"])
    func escapes(_ tag: String) throws {
        let identifier = try #require(
            DynamicType.identifier(tag: tag, tagClass: .filenameExtension, supertypes: ["public.data"])
        )
        #expect(TypeIdentifier.isWellFormed(identifier))
        #expect(DynamicType(identifier)?.tags == [.filenameExtension: [tag]])
    }

    @Test("Values that cannot be tags of their class, or have control characters, are left out")
    func invalidTags() throws {
        let type = try #require(DynamicType("dyn.a" + Base32.encode(Array("?1=.a,b:2=c\n,d:3=e,f/g".utf8))))
        let macType = UniformType.TagClass(rawValue: "com.apple.ostype")
        #expect(type.tags == [.filenameExtension: ["b"], macType: ["d"], .mimeType: ["f/g"]])
    }

    @Test("Case does not matter, in the identifier or in the tag")
    func caseIgnored() throws {
        #expect(UniformType("DYN.AH62D4RV4GE81U8P4") == UniformType("dyn.ah62d4rv4ge81u8p4"))
        #expect(UniformType("DYN.AH62D4RV4GE81U8P4")?.conforms(to: .data) == true)
        #expect(UniformType(filenameExtension: "XYZ") == UniformType(filenameExtension: "xyz"))
    }

    @Test(
        "A descriptor that is not canonical is not a dynamic type",
        arguments: [
            "dyn.", "dyn.a", "dyn.b62d4rv4ge81u8p4", "dyn.ai", "dyn.ah62d4rv4ge81u8p4a", "dyn.ah62d4rv4ge80g63",
            "dyn.ah62d4rv4ge81u8p4/", "dyn.a" + Base32.encode(Array("?0".utf8)),
            "dyn.a" + Base32.encode(Array("?9=x".utf8)), "dyn.a" + Base32.encode(Array("?1=x\\".utf8)),
            "dyn.a" + Base32.encode([0x3F, 0x31, 0x3D, 0xFF]), "dyn.a" + Base32.encode(Array("hello".utf8)),
            "dyn.a" + Base32.encode(Array("?1=".utf8) + [UInt8](repeating: 0x61, count: 314)),
        ]
    )
    func malformed(_ identifier: String) {
        #expect(DynamicType(identifier) == nil)
        #expect(UniformType(identifier) == nil)
        #expect(!Conformance.conforms(identifier, closure: [], to: "public.data", edges: []))
    }

    @Test("A tag too long for an identifier has no type")
    func tooLong() {
        #expect(UniformType(filenameExtension: String(repeating: "x", count: 309)) != nil)
        let tag = String(repeating: "x", count: 310)
        #expect(UniformType(filenameExtension: tag) == nil)
        #expect(DynamicType.identifier(tag: tag, tagClass: .filenameExtension, supertypes: ["public.data"]) == nil)
    }

    @Test("Base 32 decodes to the encoded bytes, whatever they are")
    func base32() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count * 11) }
            #expect(Base32.decode(("." + Base32.encode(bytes)).utf8.dropFirst()) == bytes)
        }
    }
}
