import PasteboardWire
import ProtocolVectors
import TestSupport
import Testing

@Suite(.pure) struct ClientAuditTests {
    private static func frame(
        _ kind: FrameKind,
        _ payload: [UInt8] = [],
        stream: UInt64,
        _ change: (inout FrameHeader) -> Void = { _ in }
    ) -> ReceivedFrame {
        var header = FrameHeader(kind, stream: stream, length: payload.count)
        change(&header)
        return ReceivedFrame(header: header, payload: payload)
    }

    /// The rules that the last frame breaks.
    private func broken(_ frames: [ReceivedFrame], asks: [UInt64] = []) -> [String] {
        var audit = ClientAudit()
        for stream in asks { audit.used(stream) }
        return frames.map { audit.judge($0).map(\.rule) }.last ?? []
    }

    private static let hello = frame(.hello, stream: 0)
    private static let load = frame(.load, stream: 3)

    @Test("A rule counts as judged only after a frame that could break it")
    func judged() {
        var audit = ClientAudit()
        #expect(audit.judged.isEmpty)
        _ = audit.judge(Self.hello)
        #expect(audit.judged.contains("C1") && audit.judged.isDisjoint(with: ["S1", "O2"]))
        _ = audit.judge(Self.load)
        _ = audit.judge(Self.frame(.credit, [8, 5], stream: 3))
        #expect(audit.judged.isSuperset(of: ["S1", "O2"]))
    }

    @Test("Frames that keep the rules are accepted")
    func kept() {
        #expect(broken([Self.hello]).isEmpty && broken([Self.hello, Self.load]).isEmpty)
        let credits = [5, 5, 9].map { Self.frame(.credit, [8, $0], stream: 3) }
        #expect(broken([Self.hello, Self.load] + credits).isEmpty)
        #expect(broken([Self.hello, Self.frame(.end, stream: 1 << 32)], asks: [1 << 32]).isEmpty)
    }

    @Test("A frame that breaks a rule is reported with its number")
    func rules() {
        let cases: [([ReceivedFrame], String)] = [
            ([Self.load], "C1"), ([Self.hello, Self.hello], "C1"), ([Self.frame(.hello, stream: 1)], "C1"),
            ([Self.hello, Self.frame(.load, stream: 3) { $0.flags = FrameFlags(rawValue: 8) }], "F2"),
            ([Self.hello, Self.frame(.load, stream: 3) { $0.length = 65_537 }], "F3"),
            ([Self.hello, Self.frame(.load, stream: 3) { $0.version = 2 }], "F5"),
            ([Self.hello, Self.frame(.load, [0x0B], stream: 3)], "M3"),
            (
                [
                    Self.hello, Self.load, Self.frame(.credit, [8, 5], stream: 3),
                    Self.frame(.credit, [8, 4], stream: 3),
                ], "O2"
            ),
            ([Self.hello, Self.load, Self.frame(.list, stream: 1)], "S1"),
            ([Self.hello, Self.load, Self.frame(.list, stream: 3)], "S1"),
            ([Self.hello, Self.frame(.welcome, stream: 0)], "S8"), ([Self.hello, Self.frame(.list, stream: 4)], "S8"),
            ([Self.hello, Self.frame(.cancel, stream: 5)], "S9"), ([Self.hello, Self.frame(.end, stream: 4)], "S9"),
            ([Self.hello, Self.frame(.load, stream: 3) { $0.descriptorCount = 1 }], "U2"),
        ]
        for (frames, rule) in cases {
            #expect(broken(frames).contains(rule), "\(rule)")
        }
    }
}
