import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The vectors with brokers that break one rule each. They show that the kit finds what it says it tests.
@Suite("The conformance kit", .pure) struct ConformanceKitTests {
    @Test("A broker that breaks a rule fails an exchange of that rule", arguments: Self.brokers)
    func broken(broker: BrokenBroker) throws {
        // Any exchange shows a frame that breaks a rule by itself.
        let rules = BrokerAudit.rules.contains(broker.rule) ? [broker.rule, "C1", "Q1"] : [broker.rule]
        var found: Set<String> = []
        for vector in try Self.vectors.get()
        where !found.contains(broker.rule) && !Set(rules).isDisjoint(with: vector.rules) {
            var player = ExchangePlayer(BrokenPeers(broker))
            do {
                try player.play(vector)
            } catch {
                found.formUnion(error.rule.map { [$0] } ?? vector.rules)
            }
            found.formUnion(player.broken.map(\.rule))
        }
        #expect(found.contains(broker.rule), "found instead: \(found.sorted())")
    }

    @Test("A field that is missing although it must be present is reported once, and fails no exchange")
    func missingField() throws {
        let broker = BrokenBroker.omits("M8", .proposal, "operation")
        let vectors = try Self.vectors.get().filter { $0.title.hasPrefix("A move to no destination") }
        #expect(vectors.count == 1)
        for vector in vectors {
            var player = ExchangePlayer(BrokenPeers(broker))
            try player.play(vector)
            #expect(player.broken.map(\.rule) == ["M8"])
            #expect(player.broken.first?.text.hasSuffix("lacks Proposal.operation") == true)
        }
    }

    private static let vectors = Result { try ExchangeFile.broker().filter { !$0.isInternal } }

    // MARK: The brokers

    private static let brokers: [BrokenBroker] = frames + messages + contents + loads + sessions + boards

    private static let frames: [BrokenBroker] = [
        .header("F2", "sets a flag without a meaning") { $0.flags = FrameFlags(rawValue: $0.flags.rawValue | 128) },
        .header("F3", "sends control frames of 70000 bytes") { if $0.kind == .contents { $0.length = 70_000 } },
        .header("F3", "sends data frames of 300000 bytes") { if $0.kind == .data { $0.length = 300_000 } },
        .header("F5", "sends version 0") { $0.version = 0 },
        .header("F5", "sends version 2 after welcome") { if $0.kind != .welcome { $0.version = 2 } },
        .header("U3", "announces descriptors") { if $0.kind == .committed { $0.descriptorCount = 1 } },
        .header("S8", "sends a kind of clients") {
            if $0.kind == .end { $0 = FrameHeader(.commit, stream: $0.stream, length: Int($0.length)) }
        },
        .header("S9", "sends ends on streams that nobody has opened") {
            if $0.kind == .end { $0 = FrameHeader(.end, stream: $0.stream | 1 << 40, length: Int($0.length)) }
        },
        .sends("C9", "sends more after an error on stream 0") { frame, _ in
            frame.header.kind == .error && frame.header.stream == 0 ? [frame, frame] : [frame]
        },
        .receives("F7", "ignores unknown kinds that must be understood") { frame in
            var frame = frame
            if frame.header.kind == nil { frame.header.flags = .none }
            return [frame]
        },
        .receives("S5", "answers a cancel") { frame in
            frame.header.kind == .cancel ? [] : [frame]
        },
    ]

    private static let messages: [BrokenBroker] = [
        .omits("M8", .welcome, "epoch"), .omits("M8", .item, "visibility"), .omits("M8", .ask, "item"),
        .sends("M3", "sends malformed messages") { frame, _ in
            frame.header.kind == .contents ? [frame.with(frame.payload + [0x0B])] : [frame]
        },
        .receives("M1", "takes the last of several messages") { frame in
            frame.header.kind == .move ? [frame.without("location", keepingLast: true)] : [frame]
        },
        .alters("C5", "agrees on another version") { (welcome: inout Welcome) in welcome.version = 9 },
        .ignores("C4", .hello, "maximum_streams"), .ignores("C8", .write, "requires"),
        .alters("N3", "does not cut labels") { (contents: inout Contents) in
            if contents.ownerLabel?.utf8.count == 254 { contents.ownerLabel? += "é" }
        },
        .alters("N5", "does not remove bidirectional marks from labels") { (contents: inout Contents) in
            if contents.ownerLabel == "ab" { contents.ownerLabel = "a\u{202E}b" }
        },
        .alters("N5", "does not remove deprecated format characters from labels") { (contents: inout Contents) in
            if contents.ownerLabel == "ab" { contents.ownerLabel = "ab\u{206A}" }
        },
        .receives("C8", "evicts nothing without the number of the feature") { frame in
            let write = try? Write(decoding: frame.payload)
            return [frame.header.kind == .write && write?.requires != [11] ? frame.without("evicts_nothing") : frame]
        },
        .receives("C8", "watches destinations without the number of the feature") { frame in
            let watch = try? Watch(decoding: frame.payload)
            return [frame.header.kind == .watch && watch?.destinations == false ? frame.without("destinations") : frame]
        },
        .alters("N5", "does not remove control characters from titles") { (item: inout Item) in
            if item.title == "cde" { item.title = "c\u{1}de" }
        },
        .ignores("N8", .hello, "role"),
    ]

    private static let contents: [BrokenBroker] = [
        .receives("W1", "checks a condition only when the write begins") { frame in
            // The count is a known one only in the exchange in which it changes before the commit.
            frame.header.kind == .write && (try? Write(decoding: frame.payload))?.ifChangeCount ?? 0 > 1
                ? [frame.without("if_change_count")] : [frame]
        },
        .ignores("W4", .item, "byte_count"), .ignores("W5", .commit, "item_count"), .drops("W9", .cancel),
        .omits("W6", .committed, "handle"), .omits("W8", .end, "reason"), .ignores("W11", .item, "policy"),
        .ignores("W12", .item, "first_byte_milliseconds"), .ignores("W14", .item, "file"),
        .sends("W9", "lets loads of a withdrawn promise continue") { frame, _ in
            let failure = frame.header.kind == .error ? try? Failure(decoding: frame.payload) : nil
            return failure?.code == .sourceGone ? [] : [frame]
        },
        .sends("Q1", "lists one item only") { frame, streams in
            guard frame.header.kind == .item else { return [frame] }
            return streams.insert(frame.header.stream).inserted ? [frame] : []
        },
    ]

    private static let loads: [BrokenBroker] = [
        .ignores("A7", .hello, "maximum_streams"), .ignores("A3", .answer, "byte_count"),
        .omits("A1", .ask, "maximum_byte_count"), .ignores("S7", .end, "byte_count"),
        .alters("A4", "reports the failure of a source as its end") { (failure: inout Failure) in
            if failure.code == .sourceFailed { failure.code = .sourceGone }
        },
        .omits("L4", .answer, "suggested_name"), .ignores("L8", .load, "maximum_byte_count"),
        .ignores("L7", .load, "timeout_milliseconds"), .ignores("T2", .load, "match"),
        .ignores("T3", .load, "preference"), .ignores("K2", .item, "policy"),
        .receives("O1", "sends bytes beyond the credit") { frame in
            [frame.altered { (load: inout Load) in load.credit = 1 << 20 }]
        },
        .header("U10", "passes no descriptor of kept bytes") { if $0.kind == .answer { $0.descriptorCount = 0 } },
        .sends("U10", "passes kept bytes in a memory file without seals") { frame, _ in
            var frame = frame
            if frame.passed == .sealed { frame.passed = .memory }
            return [frame]
        },
        .accepts("U6", .pipe), .accepts("U6", .memory),
        .header("U11", "passes no descriptor with welcome") { if $0.kind == .welcome { $0.descriptorCount = 0 } },
    ]

    private static let sessions: [BrokenBroker] = [
        .alters("R2", "names items after a move with a failed load") { (result: inout Transferred) in
            if result.operation == .move, result.failure?.code == .sourceFailed { result.items = [0] }
        },
        .alters("R1", "completes a move of which items were left") { (result: inout Transferred) in
            guard result.operation == .move, result.failure?.code == .refused, !result.items.isEmpty else { return }
            (result.items, result.failure) = ([0, 1], nil)
        },
        .sends("R1", "completes a move whose items nobody has loaded") { frame, moves in
            switch frame.header.kind {
            case .dropped where (try? Dropped(decoding: frame.payload))?.operation == .move:
                moves.insert(frame.header.stream)
            case .transferred: moves.remove(frame.header.stream)
            case .end where moves.contains(frame.header.stream):
                var result = Transferred()
                (result.operation, result.items) = (.move, [0])
                var encoder = FrameMemory()
                encoder.append(result, stream: frame.header.stream)
                let header = FrameHeader(.transferred, stream: frame.header.stream, length: 0)
                let payload = Array(encoder.bytes.dropFirst(FrameHeader.byteCount))
                return [ReceivedFrame(header: header, payload: []).with(payload), frame]
            default: break
            }
            return [frame]
        },
        .alters("R2", "names no items after a copy with a failed load") { (result: inout Transferred) in
            if result.operation == .copy, result.failure != nil { result.items = [] }
        },
        .omits("E14", .transferred, "failure"), .ignores("G7", .drag, "allows_move"),
        .omits("G4", .proposal, "refusal"), .ignores("E5", .proposal, "cannot_handle"),
        .drops("G10", .commit),
    ]

    private static let boards: [BrokenBroker] = [
        .ignores("Y1", .write, "expires_milliseconds"), .ignores("Y2", .write, "maximum_loads"),
        .ignores("Y3", .write, "is_concealed"), .ignores("Y4", .load, "is_automatic"),
        .ignores("Y5", .write, "is_local_only"), .ignores("Y19", .write, "keeps_promises"),
        .ignores("Y23", .clear, "if_epoch"), .omits("Y12", .change, "missed"),
        .alters("Y12", "counts a missed change too much") { (change: inout Change) in change.missed? += 1 },
        .ignores("Y16", .clear, "removes_board"), .ignores("Y18", .write, "keeps_promises"),
        .sends("Y16", "counts the clear of a board that was removed") { frame, _ in
            // In the exchange about that, the last clear is on this stream.
            frame.header.stream == 5 ? [frame.altered { (done: inout Committed) in done.changeCount? += 1 }] : [frame]
        },
        .ignores("Y20", .write, "reclaims_epoch"), .ignores("Y5", .hello, "sees_concealed"),
        .omits("Y14", .change, "clearer_label"),
        .alters("Y18", "shows the visibility of bytes that were handed over") { (item: inout Item) in
            if item.representations.first?.provision == .kept { item.representations[0].visibility = .all }
        },
        .sends("Y24", "does not report boards that were removed") { frame, _ in
            let change = frame.header.kind == .change ? try? Change(decoding: frame.payload) : nil
            return change?.board != nil && change?.handle == nil ? [] : [frame]
        },
        .alters("Y27", "leaves its epoch out of the path of a link's contents") { (contents: inout Contents) in
            if contents.origin?.path.count == 2 { contents.origin?.path.removeLast() }
        },
        .receives("Y28", "does not look for its epoch in a path") { frame in
            [frame.altered { (write: inout Write) in if write.origin?.path.last == 6 { write.origin?.path = [6] } }]
        },
        .receives("Y30", "accepts an addition with an origin") { frame in
            let write = frame.header.kind == .write ? try? Write(decoding: frame.payload) : nil
            return [write?.handle != nil ? frame.without("origin") : frame]
        },
        .sends("Y32", "reports no destination") { frame, _ in frame.header.kind == .change ? [] : [frame] },
    ]
}
