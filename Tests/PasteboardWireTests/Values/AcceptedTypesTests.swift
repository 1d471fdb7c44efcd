import PasteboardWire
import Testing
import TypeIdentifiers

/// Accept lists of loads and accepted types of destinations decide alike.
@Suite("Accepted types") struct AcceptedTypesTests {
    private struct Candidate: AcceptList.Candidate {
        let type: String
        let supertypeClosure: Conformance.SupertypeClosure

        init(_ type: String, _ supertypes: [String] = []) {
            self.type = type
            supertypeClosure = Conformance.SupertypeClosure(of: type, closure: supertypes)
        }
    }

    private static let candidates = [
        Candidate("public.png"), Candidate("PUBLIC.PNG"), Candidate("public.utf8-plain-text"), Candidate("public.data"),
        Candidate("com.example.note", ["public.plain-text"]), Candidate("com.example.note"),
        Candidate("com.example.card", ["com.Example.Note"]),
    ]

    private static let entries: [Accept] = ["public.png", "public.text", "com.example.note", "COM.EXAMPLE.NOTE"]
        .flatMap { type in
            ([.conforming, .exact, .any, Match(rawValue: 9)] as [Match]).map { match in
                var accept = Accept()
                accept.type = type
                accept.match = match
                return accept
            }
        }

    @Test("Accepted types contain a representation if and only if an accept list of the same entries selects it")
    func equal() throws {
        let lists = [[]] + Self.entries.map { [$0] } + Self.entries.flatMap { a in Self.entries.map { b in [a, b] } }
        var count = 0
        for accepts in lists {
            let list = try AcceptList(accepts, preference: nil, edges: [])
            let types = AcceptedTypes(accepts)
            for candidate in Self.candidates {
                let isChosen = list.choose(among: [candidate], where: { _ in true }) != nil
                #expect(types.contains(candidate) == isChosen, "\(candidate.type) in \(accepts)")
                if isChosen { count += 1 }
            }
        }
        #expect(count > 100 && count < lists.count * Self.candidates.count, "some are chosen and some are not")
    }
}
