import TestSupport
import Testing
import TypeIdentifiers

@Suite("Type index", .pure) struct TypeIndexTests {
    private static func index(_ members: [(type: String, supertypes: [String])]) -> Conformance.TypeIndex {
        var index = Conformance.TypeIndex()
        for member in members { index.append(member.type, closure: member.supertypes) }
        return index
    }

    private static func conforming(_ target: String, in index: Conformance.TypeIndex) -> [Int] {
        let members = index.members(conformingTo: Conformance.TypeName(target))
        return (0..<64).filter { members & 1 << UInt64($0) != 0 }
    }

    @Test("A look-up finds each member that conforms, and the members that are the type themselves")
    func members() {
        let index = Self.index([
            ("public.png", []), ("com.example.Note", ["public.PLAIN-text"]), ("public.text", ["com.example.own"]),
            ("com.example.card", ["com.example.note"]), ("com.example.alone", []),
        ])
        #expect(Self.conforming("public.image", in: index) == [0])
        #expect(Self.conforming("PUBLIC.text", in: index) == [1, 2])
        #expect(Self.conforming("public.plain-text", in: index) == [1])
        #expect(Self.conforming("com.example.note", in: index) == [1, 3])
        #expect(Self.conforming("com.example.own", in: index) == [2])
        #expect(Self.conforming("com.example.alone", in: index) == [4])
        #expect(Self.conforming("com.example.unknown", in: index) == [])
        #expect(index.members(named: Conformance.TypeName("COM.example.note")) == 1 << 1)
        #expect(index.members(named: Conformance.TypeName("public.TEXT")) == 1 << 2)
        #expect(index.members(named: Conformance.TypeName("public.png")) == 1 << 0)
        #expect(index.members(named: Conformance.TypeName("public.image")) == 0)
        #expect(index.members(named: Conformance.TypeName("com.example.own")) == 0)
    }

    @Test("Sixty-four members are found, and a further one is not")
    func capacity() {
        let index = Self.index((0...64).map { ("t.\($0)", ["base"]) })
        #expect(index.count == 64)
        #expect(index.members(conformingTo: Conformance.TypeName("base")) == .max)
        #expect(Self.conforming("t.63", in: index) == [63])
        #expect(Self.conforming("t.64", in: index) == [])
    }

    @Test("The byte count covers names from dynamic identifiers, not received ones or the table's")
    func byteCount() {
        #expect(Self.index([("a.b", ["c.d", "public.png", "C.D"])]).byteCount == 0)
        // The identifier contains a.a, b.b and c.c as its supertypes.
        let index = Self.index([("x.y", []), ("a.b", ["dyn.ah62d42msqe0gepxcfvvw622"])])
        #expect(["a.a", "b.b", "c.c"].allSatisfy { Self.conforming($0, in: index) == [1] })
        #expect(index.byteCount == 3 * 64)
    }

    @Test("A look-up has the same answers as single questions")
    func sameAnswers() {
        let names = [
            "com.example.A", "com.example.b", "public.png", "public.data", "public.text", "", "dyn.ah62d4rv4ge80g62",
        ]
        let members = [
            ("com.example.z", ["public.tiff"]), ("com.example.a", []), ("dyn.ah62d4r34ge80q55t", []),
            ("public.json", []),
        ].map { (type: $0.0, supertypes: $0.1) }
        let index = Self.index(members)
        for target in names + members.map(\.type) {
            let answers = members.indices.filter {
                Conformance.conforms(members[$0].type, closure: members[$0].supertypes, to: target, edges: [])
            }
            #expect(Self.conforming(target, in: index) == answers, "\(target)")
        }
    }
}
