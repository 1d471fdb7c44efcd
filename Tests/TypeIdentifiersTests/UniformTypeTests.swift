import FoundationEssentials
import TestSupport
import Testing
import TypeIdentifiers

@Suite("Uniform types", .pure)
struct UniformTypeTests {
    @Test("Equality and hashing ignore ASCII case")
    func identity() {
        let left = UniformType(identifier: "com.Example.Identity", supertypes: ["public.text"])
        let right = UniformType(identifier: "COM.example.iDENTITY", supertypes: [])
        #expect(left == right)
        #expect(Set([left, right]).count == 1)
        #expect(left.identifier == "com.Example.Identity")
        #expect(UniformType.png == UniformType("PUBLIC.PNG"))
        #expect(UniformType.png != .jpeg)
        #expect(UniformType.png.description == "public.png")
    }

    @Test("A type is coded as its identifier alone, declared here or not")
    func coding() throws {
        let types = [UniformType.png, UniformType(identifier: "com.example.coded", supertypes: ["public.text"])]
        let data = try JSONEncoder().encode(types)
        #expect(String(decoding: data, as: UTF8.self) == #"["public.png","com.example.coded"]"#)
        #expect(try JSONDecoder().decode([UniformType].self, from: data) == types)
    }

    @Test("An invalid identifier does not decode", arguments: [#"[""]"#, #"["a b"]"#, #"["text/plain"]"#, "[1]"])
    func codingIllFormed(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([UniformType].self, from: Data(json.utf8))
        }
    }

    @Test("A received type has its own supertypes and declares nothing")
    func received() {
        let type = UniformType(
            identifier: "com.example.received",
            supertypes: ["com.example.received-base", "public.json"]
        )
        #expect(type.conforms(to: .json))
        #expect(type.conforms(to: .text))
        #expect(type.isSubtype(of: UniformType(identifier: "com.example.received-base", supertypes: [])))
        #expect(type.supertypeIdentifiers.prefix(3) == ["com.example.received-base", "public.json", "public.text"])
        #expect(UniformType("com.example.received") == nil)
        #expect(!UniformType(identifier: "com.example.received", supertypes: []).conforms(to: .json))
    }

    @Test("Tag classes are equal to their identifiers, under both names")
    func tagClasses() throws {
        let classes: [UniformTagClass] = [
            .filenameExtension, .mimeType, UniformType.TagClass(rawValue: "com.example.tag"),
        ]
        let data = try JSONEncoder().encode(classes)
        #expect(String(decoding: data, as: UTF8.self).contains(#""public.mime-type""#))
        #expect(try JSONDecoder().decode([UniformTagClass].self, from: data) == classes)
        #expect(classes.map(\.description) == ["public.filename-extension", "public.mime-type", "com.example.tag"])
    }

    @Test("A type conforms to itself, and is neither its own subtype nor supertype")
    func reflexive() {
        #expect(UniformType.text.conforms(to: .text))
        #expect(!UniformType.text.isSubtype(of: .text))
        #expect(!UniformType.text.isSupertype(of: .text))
        #expect(!UniformType.text.supertypes.contains(.text))
    }

    @Test("Public types are those in the public domain of identifiers")
    func isPublic() {
        #expect(UniformType.png.isPublic)
        #expect(UniformType("PUBLIC.png")?.isPublic == true)
        #expect(!UniformType.gif.isPublic)
        #expect(!UniformType(identifier: "publicity.toy", supertypes: []).isPublic)
        #expect(!UniformType(identifier: "pub", supertypes: []).isPublic)
    }

    @Test("Descriptions are those of the nearest supertype that has one")
    func descriptions() {
        #expect(UniformType.png.localizedDescription == "PNG image")
        #expect(UniformType.tiff.localizedDescription == "image")
        #expect(UniformType.geoJSON.localizedDescription == "JSON text")
        #expect(UniformType.livePhoto.localizedDescription == nil)
    }
}
