import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct BlockingWriteTests {
    private static func item(_ sources: [ByteSource]) -> WriteItem {
        WriteItem(
            representations: sources.enumerated().map { number, source in
                var representation = Representation()
                representation.type = "com.example.type\(number)"
                return (representation: representation, source: source)
            }
        )
    }

    private static func descriptor(_ raw: CInt) -> ByteSource {
        .pieces(of: raw) { try System.read(raw, upTo: WireLimits.dataLength) }
    }

    @Test("Kept bytes follow their item in order, from memory and from a descriptor, each with its end")
    func kept() throws {
        let large = [UInt8](repeating: 7, count: 3 << 20)
        let harness = try ConnectionHarness(script: { peer in
            let stream = try peer.next(.write).stream
            #expect(
                try peer.next(.item).decoded(as: Item.self).representations.map(\.provision)
                    == [.kept, .promised, .kept, .kept]
            )
            var sequences: [[UInt8]] = [[]]
            while true {
                let frame = try peer.next()
                guard frame.kind == .data else {
                    #expect(try frame.decoded(as: Commit.self).itemCount == 1)
                    break
                }
                sequences[sequences.count - 1] += frame.payload
                if frame.header.flags.contains(.last) { sequences.append([]) }
            }
            var committed = Committed()
            committed.changeCount = sequences == [large, Array("typed".utf8), [], []] ? 1 : 0
            try peer.send(committed, stream: stream)
        })
        let pipe = try System.pipe()
        try System.write(Array("typed".utf8).span, to: pipe.second.raw)
        let reader = pipe.keepingFirst()
        let item = Self.item([.bytes(large), .promised, Self.descriptor(reader.raw), .bytes([])])
        let publication = try harness.connection.write(Write(), items: [item])
        #expect(publication.committed.changeCount == 1)
    }

    @Test("A refusal ends the write immediately, even while the descriptor has no data")
    func refusedWhileWaiting() throws {
        let harness = try ConnectionHarness(script: { peer in
            try peer.send(Failure(.superseded, "changed"), stream: try peer.next(.write).stream)
            _ = try peer.next(.data)
        })
        let pipe = try System.pipe()
        let failure = #expect(throws: Failure.self) {
            try harness.connection.write(Write(), items: [Self.item([Self.descriptor(pipe.first.raw)])])
        }
        #expect(failure?.code == .superseded)
    }

    @Test("The error of a broker that refuses a write and exits is read, even though it read no more")
    func refusedAndGone() throws {
        let harness = try ConnectionHarness(script: { peer in
            try peer.send(Failure(.noSpace, "full"), stream: try peer.next(.write).stream)
            peer.close()
        })
        let failure = #expect(throws: Failure.self) {
            let large = [UInt8](repeating: 7, count: 16 << 20)
            return try harness.connection.write(Write(), items: [Self.item([.bytes(large)])])
        }
        #expect(failure?.code == .noSpace)
    }

    @Test("An unreadable descriptor is the caller's error, and the write is withdrawn")
    func unreadable() throws {
        let harness = try ConnectionHarness(script: { peer in
            _ = try peer.next(.cancel)
            let list = try peer.next(.list).stream
            try peer.send(Contents(), stream: list)
            try peer.send(End(), stream: list)
        })
        let directory = try System.open("/")
        #expect(throws: SystemError.self) {
            try harness.connection.write(Write(), items: [Self.item([Self.descriptor(directory.raw)])])
        }
        #expect(try harness.connection.listing(settles: false).items.isEmpty)
    }
}
