import TestSupport
import Testing
import TypeIdentifiers

@Suite("Conformance", .pure)
struct ConformanceTests {
    struct Question: CustomTestStringConvertible {
        let type: String
        let target: String
        let answer: Bool
        var testDescription: String { "\(type) \(answer ? "conforms" : "does not conform") to \(target)" }
    }

    /// Handwritten answers: each line has a type, its supertypes, and after the bar types to which it does not conform.
    private static let answers = """
        public.utf8-plain-text: public.utf8-plain-text public.plain-text public.text public.data public.item public.content | public.rtf public.utf16-plain-text public.json
        public.plain-text: public.text public.data public.item public.content | public.utf8-plain-text public.source-code
        public.text: public.data public.content public.item | public.plain-text public.image
        public.data: public.item | public.content public.text public.directory
        public.item: public.item | public.data public.content
        public.png: public.image public.data public.content public.item | public.jpeg public.text com.compuserve.gif
        public.heic: public.heif-standard public.image public.data | public.heif
        public.svg-image: public.image public.xml public.text public.data | public.plain-text public.html
        public.json: public.text public.data | public.plain-text public.geojson
        public.geojson: public.json public.text | public.plain-text
        public.html: public.text | public.xml public.plain-text
        public.url: public.data | public.text public.file-url
        public.file-url: public.url public.data | public.content
        public.swift-source: public.source-code public.plain-text public.text | public.script
        public.python-script: public.shell-script public.script public.source-code public.plain-text | public.executable
        com.netscape.javascript-source: public.source-code public.executable public.item | public.script
        com.adobe.pdf: public.data public.composite-content public.content | public.image
        com.apple.rtfd: com.apple.package public.directory public.item public.composite-content | public.data public.rtf
        public.folder: public.directory public.item | public.data com.apple.package
        public.zip-archive: com.pkware.zip-archive public.archive public.data | public.content
        com.sun.java-archive: public.zip-archive public.archive public.executable | com.apple.application
        public.mpeg-4: public.movie public.audiovisual-content public.data public.content | public.video public.audio
        com.apple.m4a-audio: public.mpeg-4-audio public.audio public.audiovisual-content | public.mpeg-4
        net.daringfireball.markdown: public.utf8-plain-text public.text | public.html
        com.apple.xml-property-list: public.xml com.apple.property-list public.text public.data | com.apple.binary-property-list
        org.openxmlformats.spreadsheetml.sheet: public.spreadsheet public.content public.data | public.presentation
        """

    static let questions: [Question] = answers.split(separator: "\n").flatMap { line in
        let halves = line.split(separator: "|")
        let names = halves[0].split(separator: " ")
        let type = String(names[0].dropLast())
        return names.dropFirst().map { Question(type: type, target: String($0), answer: true) }
            + halves[1].split(separator: " ").map { Question(type: type, target: String($0), answer: false) }
    }

    @Test("The table has the handwritten answers", arguments: questions)
    func table(_ question: Question) throws {
        #expect(
            Conformance.conforms(question.type, closure: [], to: question.target, edges: []) == question.answer
        )
        let type = try #require(UniformType(question.type))
        let target = try #require(UniformType(question.target))
        #expect(type.conforms(to: target) == question.answer)
        #expect(type.isSubtype(of: target) == (question.answer && type != target))
        #expect(target.isSupertype(of: type) == (question.answer && type != target))
        #expect((type.supertypes.contains(target) || type == target) == question.answer)
    }

    @Test("There are enough questions for a meaningful test")
    func questionCount() {
        #expect(Self.questions.count >= 100)
    }

    @Test("ASCII case is ignored everywhere")
    func caseIgnored() {
        #expect(Conformance.conforms("PUBLIC.png", closure: [], to: "Public.IMAGE", edges: []))
        #expect(Conformance.conforms("com.example.Toy", closure: ["PUBLIC.JSON"], to: "public.text", edges: []))
        #expect(
            Conformance.conforms(
                "com.example.TOY",
                closure: [],
                to: "public.text",
                edges: [("COM.example.toy", ["public.JSON"])]
            )
        )
    }

    @Test("Identifiers are compared by bytes: non-ASCII letters keep their case, and composed forms differ")
    func byteIdentity() {
        #expect(Conformance.equal("com.Example.Toy", "COM.eXAMPLE.tOY"))
        #expect(!Conformance.equal("com.example.é", "com.example.É"))
        #expect(!Conformance.equal("com.example.\u{E9}", "com.example.e\u{301}"))
        #expect(!Conformance.equal("com.example.a", "com.example.ab"))
        #expect(!Conformance.equal("a[", "a{"))
        #expect(!Conformance.equal("a@", "a`"))
        #expect(Conformance.equal("", ""))
    }

    @Test("An unknown type conforms to itself and to nothing else")
    func unknown() {
        #expect(Conformance.conforms("com.example.toy", closure: [], to: "com.example.TOY", edges: []))
        #expect(!Conformance.conforms("com.example.toy", closure: [], to: "public.data", edges: []))
    }

    @Test("A publisher's supertypes are used, together with those that the table has for each of them")
    func closure() {
        let closure = ["com.example.base", "public.json"]
        #expect(Conformance.conforms("com.example.toy", closure: closure, to: "com.example.base", edges: []))
        #expect(Conformance.conforms("com.example.toy", closure: closure, to: "public.text", edges: []))
        #expect(!Conformance.conforms("com.example.toy", closure: closure, to: "public.image", edges: []))
    }

    @Test("Edges combine with each other, with the closure, with the table and with dynamic types")
    func edges() {
        let edges = [
            ("com.example.c", ["public.png"]), ("com.example.b", ["com.example.c"]),
            ("com.example.a", ["com.example.b"]),
            ("public.image", ["com.example.picture"]), ("public.text", ["com.example.words"]),
        ].map { (type: $0.0, supertypes: $0.1) }
        #expect(Conformance.conforms("com.example.a", closure: [], to: "public.image", edges: edges))
        #expect(Conformance.conforms("com.example.a", closure: [], to: "com.example.picture", edges: edges))
        #expect(Conformance.conforms("com.example.z", closure: ["com.example.b"], to: "public.png", edges: edges))
        #expect(Conformance.conforms("dyn.ah62d4r34ge80q55t", closure: [], to: "com.example.words", edges: edges))
        #expect(!Conformance.conforms("com.example.c", closure: [], to: "com.example.a", edges: edges))
        #expect(!Conformance.conforms("com.example.z", closure: [], to: "public.png", edges: edges))
    }

    @Test("The walk along circular edges ends")
    func cycles() {
        let ring = (0..<1000).map { (type: "t.\($0)", supertypes: ["t.\(($0 + 1) % 1000)", "t.\($0)"]) }
        #expect(Conformance.conforms("t.0", closure: [], to: "t.999", edges: ring))
        #expect(Conformance.conforms("t.500", closure: [], to: "t.499", edges: ring))
        #expect(!Conformance.conforms("t.0", closure: [], to: "public.data", edges: ring))
        #expect(!Conformance.conforms("t.0", closure: ["t.0", "t.0"], to: "t.1000", edges: ring))
    }

    @Test("Thousands of supertypes and of edges from one type are walked once")
    func wide() {
        let many = (0..<20_000).map { "com.example.t\($0)" }
        #expect(Conformance.conforms("a", closure: many, to: "com.example.T19999", edges: []))
        #expect(!Conformance.conforms("a", closure: many, to: "public.data", edges: []))
        let edges = many.map { (type: "a", supertypes: ["a", $0]) }
        #expect(!Conformance.conforms("a", closure: many, to: "public.data", edges: edges))
        #expect(Conformance.conforms("a", closure: [], to: "com.example.t7", edges: edges))
        let chain = (1..<20_000).map { (type: many[$0 - 1], supertypes: [many[$0]]) }
        #expect(Conformance.conforms(many[0], closure: [], to: many[19_999], edges: chain))
    }

    @Test("Empty and ill-formed names in a closure or an edge match nothing but themselves")
    func illFormed() {
        let odd = ["", "\u{0}", "dyn.", "dyn.a", "a b", String(repeating: "x", count: 5000)]
        for name in odd {
            #expect(Conformance.conforms(name, closure: [], to: name, edges: []))
            #expect(!Conformance.conforms(name, closure: odd, to: "public.data", edges: [(name, odd)]))
        }
    }
}
