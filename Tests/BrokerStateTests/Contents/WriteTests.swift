import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct WriteTests {
    @Test("Promised and kept representations of several items are visible after commit, and not before")
    func visibleAfterCommit() throws {
        let broker = StateHarness()
        let writer = broker.connect("writer")
        let reader = broker.connect()
        let stream = broker.begin(from: writer)
        broker.send(
            Item([Representation("a.promised", byteCount: 9), Representation("a.kept", kept: true)], name: "Kyoto"),
            on: stream,
            from: writer
        )
        broker.data([1, 2], on: stream, from: writer)
        broker.data([3], last: true, on: stream, from: writer)
        broker.send(Item([Representation("b.kept", byteCount: 0, kept: true)]), on: stream, from: writer)
        broker.data([], last: true, on: stream, from: writer)
        #expect(broker.list(from: reader).kinds == [.contents, .end])
        broker.commit(2, on: stream, from: writer)

        let committed = try #require(broker.take(writer).first(Committed.self))
        #expect(committed.changeCount == 5_001 && committed.epoch == 77)
        let listed = broker.list(from: reader)
        #expect(listed.kinds == [.contents, .item, .item, .end])
        #expect(listed.allSatisfy { $0.order == .connection })
        let contents = try #require(listed.first(Contents.self))
        #expect(contents.handle == committed.handle && contents.changeCount == 5_001 && contents.itemCount == 2)
        #expect(contents.ownerLabel == "writer")
        let items = listed.all(Item.self)
        #expect(items[0].suggestedName == "Kyoto")
        #expect(items[0].representations.map(\.type) == ["a.promised", "a.kept"])
        #expect(items[0].representations.map(\.provision) == [0, 1])
        #expect(items[0].representations.map(\.byteCount) == [9, 3])
        #expect(items[1].representations.map(\.byteCount) == [0])
        #expect(broker.sealed.count == 2)
    }

    @Test("A write whose kept bytes take long continues as long as empty frames come, and fails without a frame")
    func emptyFrames() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.begin(from: writer)
        broker.send(Item([Representation("a.kept", kept: true)]), on: stream, from: writer)
        for _ in 0..<10 {
            broker.advance(by: 9_000)
            broker.data([], on: stream, from: writer)
        }
        #expect(broker.take(writer).isEmpty)
        broker.advance(by: 10_000)
        #expect(broker.take(writer).first(Failure.self)?.code == .timeout)
    }

    @Test("A write continues as long as items come")
    func slowItems() {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.begin(from: writer)
        for _ in 0..<3 {
            broker.advance(by: 9_000)
            broker.send(Item("a"), on: stream, from: writer)
        }
        broker.commit(3, on: stream, from: writer)
        #expect(broker.take(writer).kinds == [.committed])
    }

    @Test("File attributes are listed as they were written, and a name that is not a path component is refused")
    func fileAttributes() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        var file = FileAttributes()
        file.name = [0x6E, 0xFF]
        file.mode = 0o4755
        file.modifiedSeconds = UInt64(bitPattern: -1)
        file.modifiedNanoseconds = 5
        var representation = Representation("a.type")
        representation.file = file
        broker.write([Item([representation, Representation("b.type")])], kept: [], from: writer)
        let item = try #require(broker.list(from: writer).first(Item.self))
        #expect(item.representations.map(\.file) == [file, nil])

        for name in ["", ".", "..", "a/b", "a\0b"] {
            representation.file?.name = Array(name.utf8)
            let stream = broker.begin(from: writer)
            broker.send(Item([representation]), on: stream, from: writer)
            #expect(broker.take(writer).on(stream).codes == [.invalidArgument], "\(name)")
        }
    }

    @Test("Kept bytes are returned as they were written, from any of several items")
    func keptBytes() {
        let broker = StateHarness()
        let writer = broker.connect()
        let large = (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let items = [
            Item([Representation("a", kept: true), Representation("b", kept: true)]),
            Item([Representation("c", kept: true)]),
        ]
        broker.write(items, kept: [[1, 2, 3], [], large], from: writer)
        let reader = broker.connect()
        for (item, type, bytes) in [(0, "a", [1, 2, 3]), (0, "b", []), (1, "c", large)] {
            let stream = broker.load(from: reader) {
                $0.item = UInt32(item)
                $0.accepts = [Accept(type, match: .exact)]
            }
            let frames = broker.take(reader).on(stream)
            #expect(frames.first(Answer.self)?.byteCount == UInt64(bytes.count))
            #expect(frames.first(Answer.self)?.type == type)
            #expect(frames.bytes == bytes)
            #expect(frames.ends.count == 1 && frames.last?.last == true)
        }
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
    }

    @Test(
        "A cancel before the commit, or the writer's death, leaves only the old contents",
        arguments: [true, false]
    )
    func discarded(_ byDeath: Bool) {
        let broker = StateHarness()
        let old = broker.connect()
        broker.promise("old.type", from: old)
        let writer = broker.connect()
        let before = broker.held
        let stream = broker.begin(from: writer)
        broker.send(Item([Representation("new.type", byteCount: 10, kept: true)]), on: stream, from: writer)
        broker.data([1, 2, 3], on: stream, from: writer)
        #expect(broker.held.writes == 1 && broker.held.keptBytes == 10)
        if byDeath { broker.disconnect(writer) } else { broker.send(Cancel(), on: stream, from: writer) }
        #expect(broker.openMemory == 0)
        #expect(broker.held.writes == 0 && broker.held.keptBytes == 0)
        #expect(broker.held.objects == before.objects && broker.held.metadata == before.metadata)
        #expect(broker.list(from: old).first(Item.self)?.representations.map(\.type) == ["old.type"])
        guard !byDeath else { return }
        broker.data([4], last: true, on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        #expect(broker.take(writer).isEmpty)
        #expect(!broker.closed.contains(writer))
    }

    @Test("A write that fails gets one error and is discarded, and its late frames are dropped")
    func refusedOnce() {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.begin(from: writer)
        broker.send(Item(), on: stream, from: writer)
        let frames = broker.take(writer)
        #expect(frames.codes == [.invalidArgument] && frames[0].order == .connection)
        broker.send(Item("a.type"), on: stream, from: writer)
        broker.data([1], last: true, on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        #expect(broker.take(writer).isEmpty)
        #expect(broker.list(from: writer).kinds == [.contents, .end])
    }

    @Test("A condition is checked when the write begins and when it commits")
    func conditions() {
        let broker = StateHarness()
        let writer = broker.connect()
        let early = broker.begin(ifChangeCount: 4_999, from: writer)
        #expect(broker.take(writer).on(early).codes == [.superseded])
        let first = broker.begin(ifChangeCount: 5_000, from: writer)
        let second = broker.begin(ifChangeCount: 5_000, from: writer)
        for stream in [first, second] {
            broker.send(Item("a.type"), on: stream, from: writer)
            broker.commit(1, on: stream, from: writer)
        }
        let frames = broker.take(writer)
        #expect(frames.on(first).kinds == [.committed])
        #expect(frames.on(second).codes == [.superseded])
        #expect(broker.list(from: writer).first(Contents.self)?.changeCount == 5_001)
    }

    @Test("An unknown required feature is refused", arguments: [UInt32(0), 99, .max])
    func requires(_ feature: UInt32) {
        let broker = StateHarness()
        let peer = broker.connect()
        var write = Write()
        write.requires = [1, feature]
        broker.send(write, on: 1, from: peer)
        let stream = 3 as UInt64
        broker.send(Write(), on: stream, from: peer)
        var item = Item("a.type")
        item.requires = [feature]
        broker.send(item, on: stream, from: peer)
        #expect(broker.take(peer).codes == [.versionMismatch, .versionMismatch])
        #expect(broker.held.writes == 0)
    }

    @Test(
        "Invalid messages are refused, and the connection stays open",
        arguments: [
            Item([Representation("")]),
            Item([Representation("has space")]),
            Item([Representation("a/b")]),
            Item([Representation(String(repeating: "a", count: 513))]),
            Item([Representation("a", supertypes: ["b", "c d"])]),
            Item([Representation("a"), Representation("a")]),
            Item([Representation("public.PNG"), Representation("public.png")]),
            Item([Representation("a", visibility: 4)]),
        ]
    )
    func invalidItems(_ item: Item) {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.begin(from: peer)
        broker.send(item, on: stream, from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument])
        #expect(broker.held.writes == 0 && !broker.closed.contains(peer))
    }

    @Test(
        "A board's name has 1 to 255 printable bytes",
        arguments: ["", "a/b", "a\u{1B}", String(repeating: "a", count: 256)]
    )
    func boardNames(_ name: String) {
        let broker = StateHarness()
        let peer = broker.connect()
        _ = broker.begin(board: name, from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument])
        var (clear, list, watch) = (Clear(), List(), Watch())
        (clear.board, list.board, watch.board) = (name, name, name)
        for (number, request) in ([clear, list, watch] as [any WireMessage]).enumerated() {
            broker.send(request, on: 101 + 2 * UInt64(number), from: peer)
            #expect(broker.take(peer).codes == [.invalidArgument], "\(request)")
        }
        // For a load, a name that is not valid is one that no board has.
        broker.load(from: peer) { $0.board = name }
        #expect(broker.take(peer).codes.count == 1)
    }

    @Test("Type identifiers pass through the broker as their writer spelled them")
    func spelling() throws {
        let broker = StateHarness()
        let (source, reader) = (broker.connect(), broker.connect())
        var representation = Representation("Com.Example.ÄB")
        representation.supertypes = ["public.PNG", "Com.example.Ünit"]
        broker.write([Item([representation])], from: source)
        let listed = try #require(broker.list(from: reader).first(Item.self)?.representations.first)
        #expect(Array(listed.type.utf8) == Array("Com.Example.ÄB".utf8))
        #expect(listed.supertypes == ["public.PNG", "Com.example.Ünit"])
        broker.load(from: reader) { $0.accepts = [Accept("PUBLIC.png")] }
        let ask = try #require(broker.take(source).first { $0.kind == .ask })
        #expect(ask.decode(Ask.self).type == "Com.Example.ÄB")
        broker.data([1], last: true, on: ask.stream, from: source)
        #expect(broker.take(reader).first(Answer.self)?.type == "Com.Example.ÄB")
    }

    @Test(
        "A kept representation must have exactly the announced number of bytes",
        arguments: [(3, true), (2, true), (5, false), (5, true)]
    )
    func announcedSize(_ count: Int, _ last: Bool) {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.begin(from: peer)
        broker.send(Item([Representation("a", byteCount: 4, kept: true)]), on: stream, from: peer)
        broker.data(count: count, last: last, on: stream, from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument])
        #expect(broker.openMemory == 0 && broker.held.keptBytes == 0)
    }

    @Test(
        "Bytes before an item, and an item or a commit before the end of bytes, are violations",
        arguments: [[FrameKind.data], [.item, .data, .commit], [.item, .item], [.item, .commit]]
    )
    func wrongOrder(_ kinds: [FrameKind]) {
        let broker = StateHarness()
        let peer = broker.connect()
        let reader = broker.connect()
        broker.write([Item([Representation("a", kept: true)])], kept: [[5]], from: reader)
        let stream = broker.begin(from: peer)
        for kind in kinds {
            #expect(broker.closed.isEmpty)
            switch kind {
            case .item: broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
            case .data: broker.data([1], on: stream, from: peer)
            default: broker.commit(1, on: stream, from: peer)
            }
        }
        #expect(broker.take(peer).on(0).codes == [.protocolViolation] && broker.closed == [peer])
        #expect(broker.openMemory == 1 && broker.held.writes == 0 && broker.held.keptBytes == 1)
        let load = broker.load(from: reader)
        #expect(broker.take(reader).on(load).bytes == [5], "the old contents stay")
    }

    @Test("A wrong item count is invalid")
    func wrongCount() {
        let broker = StateHarness()
        let peer = broker.connect()
        let none = broker.begin(from: peer)
        broker.commit(0, on: none, from: peer)
        let miscounted = broker.begin(from: peer)
        broker.send(Item("a"), on: miscounted, from: peer)
        broker.commit(2, on: miscounted, from: peer)
        let frames = broker.take(peer)
        for stream in [none, miscounted] {
            #expect(frames.on(stream).codes == [.invalidArgument])
        }
        #expect(broker.openMemory == 0 && broker.held.writes == 0)
    }

    @Test(
        "A write beyond its share of the pool fails before its first byte if its size is announced, else as it grows"
    )
    func pool() {
        let broker = StateHarness { $0.keptPool = 100 }
        let peer = broker.connect()
        let announced = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", byteCount: 46, kept: true)]), on: announced, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
        let growing = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", kept: true)]), on: growing, from: peer)
        broker.data(count: 45, on: growing, from: peer)
        #expect(broker.take(peer).isEmpty && broker.held.keptBytes == 45)
        broker.data(count: 1, on: growing, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
        #expect(broker.held.keptBytes == 0 && broker.openMemory == 0)
        let immense = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("a", byteCount: .max, kept: true)]), on: immense, from: peer)
        #expect(broker.take(peer).codes == [.noSpace])
    }

    @Test("A write beyond the number of kept representations is refused, and releases those that it had")
    func keptRepresentations() {
        let broker = StateHarness { $0.keptRepresentations = 4 }
        let peer = broker.connect()
        let two = Item([Representation("a", kept: true), Representation("b", kept: true)])
        broker.write([two], kept: [[1], [2]], board: "b", from: peer)
        let third = broker.begin(board: "b", from: peer)
        broker.send(Item([Representation("c", kept: true)]), on: third, from: peer)
        #expect(broker.take(peer).codes.contains(.limitExceeded))
        #expect(broker.openMemory == 2)
        broker.clear("b", from: peer)
        #expect(broker.openMemory == 0)
    }

    @Test("Replaced and cleared contents return their bytes to the pool")
    func credited() {
        let broker = StateHarness { $0.keptPool = 200 }
        let peer = broker.connect()
        let item = Item([Representation("a", kept: true)])
        broker.write([item], kept: [[UInt8](repeating: 1, count: 50)], from: peer)
        broker.write([item], kept: [[UInt8](repeating: 2, count: 50)], from: peer)
        #expect(broker.held.keptBytes == 50 && broker.openMemory == 1)
        broker.clear(from: peer)
        #expect(broker.held.keptBytes == 0 && broker.openMemory == 0)
        broker.disconnect(peer)
        #expect(broker.held == .nothing)
    }

    @Test("If memory cannot be created or filled, the write fails with no-space", .tags(.f61))
    func memoryFails() {
        let broker = StateHarness()
        let peer = broker.connect()
        let stream = broker.begin(from: peer)
        broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
        broker.data([1], on: stream, from: peer)
        broker.keptWriteFailed(KeptID(slot: 0, generation: 1))
        #expect(broker.take(peer).codes == [.noSpace])
        #expect(broker.openMemory == 0)
        broker.keptWriteFailed(KeptID(slot: 0, generation: 1))
        broker.keptWriteFailed(KeptID(slot: 9, generation: 9))
        #expect(broker.take(peer).isEmpty)
    }

    @Test("A write has at most 512 items, and its names and types at most the metadata limit", .tags(.f18))
    func limits() throws {
        let broker = StateHarness { $0.metadataPerPublication = 10_000 }
        let peer = broker.connect()
        let many = broker.begin(from: peer)
        for _ in 0..<513 { broker.send(Item("a"), on: many, from: peer) }
        let failure = try #require(broker.take(peer).first(Failure.self))
        #expect(failure.code == .limitExceeded && failure.text.contains("512"))
        let long = broker.begin(from: peer)
        let types = (0..<30).map { Representation("\($0)" + String(repeating: "x", count: 400)) }
        broker.send(Item(types), on: long, from: peer)
        let second = try #require(broker.take(peer).first(Failure.self))
        #expect(second.code == .limitExceeded && second.text.contains("10000"))
        #expect(broker.held.writes == 0 && broker.held.metadata == 0)
    }

    @Test("The names and types of a write may take exactly the metadata limit")
    func exactMetadata() {
        func write(limit: UInt64) -> (metadata: UInt64, codes: [ErrorCode]) {
            let broker = StateHarness { $0.metadataPerPublication = limit }
            let writer = broker.connect()
            broker.write([Item("a")], from: writer)
            return (broker.held.metadata, broker.take(writer).codes)
        }
        let exact = write(limit: 1_000).metadata
        #expect(write(limit: exact).codes == [] && write(limit: exact - 1).codes == [.limitExceeded])
    }

    @Test("Items of unfinished writes are charged, so that a process cannot hold many by never committing")
    func unfinishedWrites() {
        let broker = StateHarness { $0.objects = 100 }
        let hoarder = broker.connect()
        var refused = 0
        for _ in 0..<100 {
            let stream = broker.begin(from: hoarder)
            broker.send(Item("a"), on: stream, from: hoarder)
            refused += broker.take(hoarder).codes.filter { $0 == .limitExceeded }.count
        }
        #expect(refused > 50)
        #expect(broker.held.objects <= 50)
        let other = broker.connect()
        broker.promise("b", from: other)
        #expect(broker.list(from: other).kinds == [.contents, .item, .end])
        broker.disconnect(hoarder)
        broker.clear(from: other)
        broker.disconnect(other)
        #expect(broker.held == .nothing)
    }

    @Test("A new board replaces an empty one, and is refused if all boards have contents")
    func boardLimit() {
        let broker = StateHarness { $0.boards = 2 }
        let (peer, other) = (broker.connect(), broker.connect())
        broker.promise("a", board: "one", from: peer)
        broker.clear("two", from: peer)
        broker.promise("a", board: "three", from: other)
        let third = broker.connect()
        broker.write([Item("a")], board: "four", from: third)
        #expect(broker.take(third).codes == [.limitExceeded])
        #expect(broker.held.publications == 2 && broker.held.writes == 0)
    }
}
