import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite("Protocol.md", .pure)
struct ProtocolTextTests {
    private let text = ProtocolText()

    @Test("The kinds of frames are those of the code, with their numbers and messages")
    func kinds() {
        let rows = text.rows(of: "Kinds of frames")
        #expect(rows.map(\.number) == FrameKind.allCases.map { UInt32($0.rawValue) })
        #expect(rows.map(\.name) == FrameKind.allCases.map { "\($0)" })
        let messages = MessageTypes.frames.map { (UInt32($0.kind.rawValue), "`\(MessageTypes.schemaName(of: $0))`") }
        let named = Dictionary(uniqueKeysWithValues: messages + [(48, "bytes")])
        for row in rows {
            #expect(row.rest[1] == named[row.number], "\(row.name)")
        }
    }

    @Test("The flags are those of the code")
    func flags() {
        let rows = text.rows(of: "Frames").filter { $0.name == "last" || $0.name == "mustUnderstand" }
        #expect(rows.map { UInt8($0.number) } == [FrameFlags.last.rawValue, FrameFlags.mustUnderstand.rawValue])
    }

    @Test("The features are those of the code")
    func features() {
        let rows = text.rows(of: "The connection")
        #expect(rows.map(\.number) == Feature.allCases.map(\.rawValue))
        #expect(rows.map(\.name) == Feature.allCases.map { "\($0)" })
    }

    @Test("The error codes are those of the code, and each has an exit status")
    func errors() {
        let rows = text.rows(of: "Errors")
        #expect(rows.map(\.number) == Array(1...UInt32(ErrorCode.names.count)))
        #expect(rows.map(\.name) == ErrorCode.names)
        for row in rows {
            #expect(UInt8(row.rest[0]).map { (1...9).contains($0) } == true, "\(row.name)")
        }
    }

    @Test("The limits are those of the code")
    func limits() {
        let expected = [
            "payload of a control frame": WireLimits.controlLength,
            "payload of a data frame": WireLimits.dataLength,
            "payload of a data frame while several streams are open": WireLimits.sharedDataLength,
            "payload before hello": WireLimits.helloLength,
            "payload of a frame with a descriptor": WireLimits.descriptorFrameLength,
            "bytes of a type identifier": WireLimits.typeIdentifier,
            "bytes of a name or label": WireLimits.name,
            "bytes of an error's text": WireLimits.errorText,
            "bytes of an error's detail": WireLimits.errorDetail,
            "payload of an item within a write": WireLimits.itemLength,
            "items of a publication": WireLimits.items,
            "representations of an item": WireLimits.representations,
            "supertypes of a type": WireLimits.supertypes,
            "entries of an accept list": WireLimits.accepts,
            "epochs of an origin": WireLimits.originPath,
            "cleared boards in an answer to a write": WireLimits.clearedBoards,
            "features in a list": WireLimits.features,
            "bytes of team data": WireLimits.teamData,
            "bytes of a title": WireLimits.title,
            "groups of a client": WireLimits.groups,
            "bytes of a path": WireLimits.path,
            "numbers in an index path": WireLimits.indexPath,
        ]
        #expect(text.values(of: "Limits") == expected)
    }

    @Test("The kinds that a client may send on each sort of stream are those of frame-kinds.tsv")
    func sorts() throws {
        for row in Repository.text(Repository.frameKinds).split(separator: "\n").dropFirst() {
            let cells = row.split(separator: "\t").map(String.init)
            let kind = try #require(UInt8(cells[0]).flatMap { FrameKind(rawValue: $0) })
            let sorts = StreamSort.allCases.filter { kind.fits($0) }.map { "\($0)" }
            #expect(sorts == (cells[3] == "-" ? [] : cells[3].split(separator: ",").map(String.init)), "\(kind)")
        }
    }

    @Test("The sort of a stream is that of the rules about ids")
    func sortsOfStreams() {
        #expect(StreamID(0).sort == .connection)
        #expect([1, 3, UInt64.max, 1 << 31 | 1].allSatisfy { StreamID($0).sort == .request })
        #expect(StreamID(askSlot: 0, generation: 1).sort == .ask && StreamID(askSlot: 7, generation: .max).sort == .ask)
        #expect(StreamID(destinationSessionSlot: 0, generation: 1).sort == .session)
    }

    @Test("The table of kinds in Protocol.md names the same sorts of streams")
    func namedSorts() {
        for row in text.rows(of: "Kinds of frames") {
            guard let kind = UInt8(exactly: row.number).flatMap({ FrameKind(rawValue: $0) }), row.rest.count > 2 else {
                continue
            }
            let cell = row.rest[2]
            let sorts = StreamSort.allCases.filter { kind.fits($0) }
            let named = cell == "opens a request" ? "request" : cell.replacing("0", with: "connection")
            #expect(named == sorts.map { "\($0)" }.joined(separator: ", "), "\(kind)")
        }
    }

    @Test("frame-kinds.tsv lists the kinds of Protocol.md with their messages")
    func registry() throws {
        let rows = Repository.text(Repository.frameKinds).split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t").map(String.init)
        }
        let expected = text.rows(of: "Kinds of frames")
        #expect(rows.map { $0[0] } == expected.map { "\($0.number)" })
        #expect(rows.map { $0[1] } == expected.map(\.name))
        let messages = expected.map { $0.rest[1] == "bytes" ? "-" : $0.rest[1].filter { $0 != "`" } }
        #expect(rows.map { $0[2] } == messages)
        for (row, shown) in zip(rows, expected) {
            let result = shown.rest.last?.replacing("on 0", with: "on connection").replacing("an ask", with: "ask")
            #expect(row[6] == (result?.isEmpty == false ? result : "-"), "\(shown.name)")
        }
    }

    @Test("The schema names the features of the code")
    func schemaFeatures() {
        let names = ProtocolSchema.shipped.names(of: "Feature").dropFirst()
        #expect(Array(names) == Feature.allCases.map { "FEATURE_" + "\($0)".snakeCased.uppercased() })
    }

    @Test("The index names the letter of every rule")
    func letters() {
        let rows = text.cells(of: "Overview").filter { $0.count == 3 }
        let index = rows.filter { $0[1] == "this one" || $0[1].hasPrefix("<doc:") }.flatMap { $0[0].filter(\.isLetter) }
        #expect(Set(index) == Set(ProtocolRule.all.compactMap(\.first)))
    }

    @Test("The fields that a broker must send are those that the conformance kit checks")
    func requiredFields() {
        var always: [String: Set<String>] = [:]
        var withHandle: [String: Set<String>] = [:]
        for cells in text.cells(of: "Messages").filter({ $0.count == 2 && $0[1].hasPrefix("`") }) {
            let parts = cells[1].split(separator: ";").map(\.quoted)
            for message in cells[0][...].quoted {
                always[message] = Set(parts[0])
                withHandle[message] = parts.count > 1 ? Set(parts[1]).subtracting(["handle"]) : nil
            }
        }
        #expect(always == BrokerAudit.required)
        #expect(withHandle == BrokerAudit.requiredWithHandle)
    }

    @Test("Conformance.md lists the words of exchanges")
    func words() {
        let article = Repository.text("Sources/PasteboardWire/PasteboardWire.docc/Conformance.md")
        for (word, frame) in ShortForms.frames {
            #expect(article.contains("\n| `\(word)` | `\(frame.kind) \(frame.fields)` |\n"), "\(word)")
        }
    }

    @Test("Conformance.md says which parts of rules are not tested")
    func untested() throws {
        let article = Repository.text("Sources/PasteboardWire/PasteboardWire.docc/Conformance.md")
        for (rule, part) in ProtocolRule.untested { #expect(article.contains("\n| \(rule) | \(part) |\n"), "\(rule)") }
        #expect(article.matches(of: /\n(?=\| [A-Z][0-9]+ \|)/).count == ProtocolRule.untested.count)
        #expect(
            article.contains("by the rules \(BrokerAudit.rules.sorted().dropLast().joined(separator: ", ")) and U3.")
        )
    }
}

extension Substring {
    /// The words between backquotes.
    fileprivate var quoted: [String] {
        split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
    }
}
