import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

/// The comparison of a broker's frames with those of a vector.
@Suite(.pure) struct ExchangePlayerTests {
    /// A broker that sends the same frames whatever it receives.
    private struct FixedPeers: ExchangePeers {
        /// The frames of the client.
        final class Record {
            var sent: [[UInt8]] = []
        }

        var frames: [ReceivedFrame]
        let ends: Bool
        let record: Record

        init(_ frames: [ReceivedFrame], ends: Bool = false, record: Record = Record()) {
            (self.frames, self.ends, self.record) = (frames, ends, record)
        }

        func send(_ bytes: [UInt8], passing _: PassedDescriptor?, from peer: String) { record.sent.append(bytes) }

        mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
            if !frames.isEmpty { return frames.removeFirst() }
            if ends { return nil }
            throw ExchangeFault("nothing came", isSilence: true)
        }

        func close(_ peer: String) {}
    }

    private static let text = """
        # A write is answered  (W6)
        stranger: write {} -> committed epoch, handle, no cleared_boards; error invalid-argument; data #3 "hello" last
        """

    private static func frame(
        _ kind: FrameKind,
        _ payload: [UInt8],
        stream: UInt64 = 1,
        last: Bool = false
    ) -> ReceivedFrame {
        let flags: FrameFlags = last ? .last : .none
        let header = FrameHeader(kind, stream: stream, length: payload.count, flags: flags)
        return ReceivedFrame(header: header, payload: payload)
    }

    private static let committed = frame(.committed, [0x18, 9, 0x10, 80])
    private static let error = frame(.error, [8, 19])
    private static let data = frame(.data, Array("hello".utf8), stream: 3, last: true)
    /// The answer to the list that follows every exchange.
    private static let probe = frame(.end, [], stream: 1 << 62 | 1)

    /// The difference that the player finds.
    private func fault(_ frames: [ReceivedFrame], ends: Bool = false, in text: String = text) throws -> String? {
        let vector = try #require(try ExchangeFile(text).vectors.first)
        var player = ExchangePlayer(FixedPeers(frames, ends: ends))
        do {
            try player.play(vector)
            return nil
        } catch {
            return error.text
        }
    }

    @Test("Further fields, another order of fields and streams, and other frames of bytes are the same answer")
    func same() throws {
        #expect(try fault([Self.committed, Self.error, Self.data, Self.probe]) == nil)
        let longer = Self.frame(.committed, [0x78, 1, 0x08, 7, 0x10, 80, 0x18, 9])
        let pieces = [
            Self.frame(.data, Array("hel".utf8), stream: 3), Self.frame(.data, Array("lo".utf8), stream: 3),
            Self.frame(.end, [], stream: 3),
        ]
        let optional = Self.frame(.progress, [], stream: 1)
        #expect(try fault(pieces + [longer, optional, Self.error, Self.probe]) == nil)
    }

    @Test("The fields of a message in a message may have another order, and there may be more of them")
    func nested() throws {
        let text = """
            # The terms are shown  (Y6)
            -> stranger: contents #1 terms: {is_transient: true, maximum_loads: 2}
            """
        let probe = [Self.probe]
        #expect(try fault([Self.frame(.contents, [0x3A, 6, 0x30, 2, 0x18, 1, 0x10, 1])] + probe, in: text) == nil)
        let other = try fault([Self.frame(.contents, [0x3A, 4, 0x30, 1, 0x10, 1])] + probe, in: text)
        #expect(other?.contains("terms.maximum_loads is 1 instead of 2") == true)
    }

    @Test("The numbers of a list may be packed or separate, but there are no more of them")
    func lists() throws {
        let text = """
            # A link is sent a path  (Y27)
            -> stranger: contents #1 epoch, origin: {5, path: epoch}
            stranger: write #3 origin: [5, epoch]
            """
        let rest = [Self.probe]
        let packed = Self.frame(.contents, [0x10, 0x80, 1, 0x5A, 5, 0x0A, 3, 5, 0x80, 1])
        let record = FixedPeers.Record()
        var player = ExchangePlayer(FixedPeers([packed] + rest, record: record))
        try player.play(try #require(try ExchangeFile(text).vectors.first))
        // The lengths of the frame, the message and the list have grown by one.
        #expect(record.sent[0] == [7, 0, 0, 0, 16, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0x52, 5, 0x0A, 3, 5, 0x80, 1])
        let longer = Self.frame(.contents, [0x10, 80, 0x5A, 5, 0x0A, 3, 5, 80, 9])
        #expect(try fault([longer] + rest, in: text)?.contains("origin.path[0] is one of 3 instead of 2") == true)
    }

    @Test("Every other answer is a difference")
    func different() throws {
        let others: [([ReceivedFrame], String)] = [
            ([Self.frame(.committed, [0x10, 80])], "handle is absent"),
            ([Self.frame(.committed, [0x10, 80, 0x18, 9, 0x22, 1, 0x78])], "cleared_boards must be absent"),
            ([Self.frame(.committed, [0x0B])], "a malformed message"),
            ([Self.frame(.end, [])], "expected committed epoch, handle, no cleared_boards, got end #1"),
            (
                [Self.committed, Self.frame(.error, [8, 20])],
                "code is 20 (ERROR_CODE_PROTOCOL_VIOLATION) instead of 19 (ERROR_CODE_INVALID_ARGUMENT)"
            ),
            (
                [Self.committed, Self.error, Self.frame(.data, Array("hell".utf8), stream: 3, last: true)],
                "expected the bytes \"hello\" and the end, got \"hell\" and the end"
            ),
            ([Self.committed, Self.error, Self.frame(.data, Array("hello".utf8), stream: 3)], "nothing came"),
            ([Self.committed, Self.error, Self.data], "expected the answer to a list"),
            (
                [Self.committed, Self.error, Self.data, Self.frame(.end, [], stream: 7), Self.probe],
                "expected nothing, got end"
            ),
            ([Self.frame(.error, [8, 20], stream: 0)], "no cleared_boards, got error #0 code: protocol-violation"),
            ([], "nothing came"),
        ]
        for (frames, text) in others {
            let fault = try #require(try fault(frames))
            #expect(fault.contains(text), "\(fault)")
        }
        #expect(try fault([], ends: true)?.contains("the end of the connection") == true)
    }

    @Test("A violation is the end of the connection, with the code if an error arrives")
    func violation() throws {
        let text = """
            # A long frame is a violation  (F3)
            stranger: list {} length 65537 -> violation
            """
        let error = Self.frame(.error, [8, 20], stream: 0)
        #expect(try fault([error], ends: true, in: text) == nil)
        #expect(try fault([], ends: true, in: text) == nil)
        let other = try fault([Self.frame(.error, [8, 19], stream: 0)], ends: true, in: text)
        #expect(other?.contains("expected error protocol-violation on stream 0") == true)
        #expect(try fault([error], in: text)?.contains("expected the end of the connection, but nothing came") == true)
    }

    @Test("A value that the broker has chosen is compared and sent afterwards, with the length that the frame then has")
    func chosenValues() throws {
        let text = """
            # A load by handle  (L1)
            -> stranger: committed #1 handle; ask handle
            stranger: load #3 handle, credit: 0; data #ask "A" last
            """
        let vector = try #require(try ExchangeFile(text).vectors.first)
        let record = FixedPeers.Record()
        let committed = Self.frame(.committed, [0x18, 0x80, 0x01])
        let ask = Self.frame(.ask, [0x08, 0x80, 0x01], stream: 6 << 32)
        var player = ExchangePlayer(FixedPeers([committed, ask, Self.probe], record: record))
        try player.play(vector)
        #expect(record.sent[0] == [5, 0, 0, 0, 19, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 8, 0x80, 1, 0x40, 0])
        #expect(record.sent[1] == [1, 0, 0, 0, 48, 1, 0, 1, 0, 0, 0, 0, 6, 0, 0, 0, 0x41])
        let other = Self.frame(.ask, [0x08, 0x81, 0x01], stream: 6 << 32)
        #expect(try fault([committed, other], in: text)?.contains("handle is another handle than before") == true)
    }
}
