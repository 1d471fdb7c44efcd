import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Bytes that a writer leaves in place of its promises: the rules Y18 and Y19.
@Suite(.pure) struct HandOverTests {
    private let broker = StateHarness()
    private let writer: PeerID
    private let reader: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        reader = broker.connect("reader", process: 8)
    }

    private static func kept(_ types: String...) -> Item {
        Item(types.map { Representation($0, kept: true) })
    }

    /// Hands over bytes for types of the first item, and returns the answers.
    @discardableResult
    private func handOver(_ types: String..., bytes: [UInt8] = [1, 2, 3], to handle: UInt64?) -> [Frame] {
        let item = Item(types.map { Representation($0, kept: true) })
        let stream = broker.write(
            [item],
            kept: types.map { _ in bytes },
            adding: handle,
            keepsPromises: true,
            from: writer
        )
        return broker.take(writer).on(stream)
    }

    private func load(_ type: String) -> [Frame] {
        let stream = broker.load(from: reader) { $0.accepts = [Accept(type, match: .exact)] }
        return broker.take(reader).on(stream)
    }

    @Test("The position, the supertypes, the visibility and the file of the promise stay, with the size of the bytes")
    func described() throws {
        var promise = Representation("com.example.a", supertypes: ["com.example.s"], byteCount: 999)
        promise.visibility = .ownProcess
        promise.fileOptions = .openInPlace
        promise.file = FileAttributes()
        promise.file?.name = Array("old.txt".utf8)
        broker.write([Item([Representation("b"), promise, Representation("c")])], from: writer)
        let handle = broker.take(writer).first(Committed.self)?.handle
        var bytes = Representation("com.example.A", supertypes: ["com.example.t"], kept: true, visibility: .all)
        bytes.content = .folderArchive
        bytes.file = FileAttributes()
        bytes.file?.name = Array("new.txt".utf8)
        broker.write([Item([bytes])], kept: [[1, 2]], adding: handle, keepsPromises: true, from: writer)
        let stored = try #require(broker.list(from: writer).first(Item.self)).representations
        #expect(stored.map(\.type) == ["b", "com.example.a", "c"])
        #expect(stored[1].supertypes == ["com.example.s"] && stored[1].visibility == .ownProcess)
        #expect(stored[1].byteCount == 2 && stored[1].provision == .kept && stored[1].content == .folderArchive)
        #expect(stored[1].file?.name == Array("old.txt".utf8) && stored[1].fileOptions == nil)
        #expect(stored[0].provision ?? .absent == .promised && stored[2].provision ?? .absent == .promised)
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.type) == ["b", "c"])
        let load = broker.load(from: writer) { $0.accepts = [Accept("com.example.t")] }
        #expect(broker.take(writer).on(load).codes == [.typeUnavailable])
    }

    @Test("Repeated hand-overs do not grow the charge of the contents")
    func repeated() {
        let handle = broker.promise("a", "b", from: writer).handle
        let before = broker.held
        handOver("a", to: handle)
        #expect(broker.held.objects == before.objects && broker.held.metadata == before.metadata)
        #expect(broker.held.keptBytes == 3)
        let after = broker.held
        for _ in 0..<10 { handOver("a", bytes: [4, 5], to: handle) }
        #expect(broker.held == after)
        // Together with something new, which is charged once.
        handOver("b", "c", to: handle)
        let grown = broker.held
        #expect(grown.objects > after.objects && grown.metadata > after.metadata)
        for _ in 0..<10 { handOver("a", "b", "c", to: handle) }
        #expect(broker.held == grown && load("a").bytes == [1, 2, 3])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("Additions of nothing do not grow the charge of the contents")
    func nothing() {
        let handle = broker.promise("a", from: writer).handle
        let before = broker.held
        let stream = broker.write([Item([], name: "x")], adding: handle, from: writer)
        #expect(broker.take(writer).on(stream).kinds == [.committed, .end] && broker.held == before)
        #expect(broker.brokenInvariants().isEmpty)
    }

    // MARK: Limits

    @Test("Only what is appended counts for the limits of an item and of the contents")
    func limits() throws {
        let broker = StateHarness { $0.metadataPerPublication = 10_000 }
        let writer = broker.connect()
        let names = (0..<64).map { "com.example." + String(repeating: "x", count: 100) + "\($0)" }
        broker.write([Item(names.map { Representation($0) })], from: writer)
        let handle = try #require(broker.take(writer).first(Committed.self)?.handle)
        func handOver(_ types: [String]) -> [Frame] {
            let item = Item(types.map { Representation($0, kept: true) })
            let bytes = types.map { _ in [1] as [UInt8] }
            let stream = broker.write([item], kept: bytes, adding: handle, keepsPromises: true, from: writer)
            return broker.take(writer).on(stream)
        }
        #expect(handOver(Array(names.dropLast()) + ["com.example.more"]).codes == [.limitExceeded])
        #expect(broker.openMemory == 0)
        #expect(handOver(names).kinds == [.committed, .end] && broker.openMemory == 64)
        #expect(broker.brokenInvariants().isEmpty)
    }

    // MARK: The lifetime of the contents

    @Test("Bytes that were handed over are evicted like others when their process has ended")
    func evicted() {
        let broker = StateHarness { $0.keptPool = 1_000 }
        let writer = broker.connect()
        let handle = broker.promise("a", board: "left", from: writer).handle
        let bytes = [UInt8](repeating: 1, count: 400)
        broker.write([Self.kept("a")], kept: [bytes], adding: handle, keepsPromises: true, from: writer)
        broker.disconnect(writer)
        #expect(broker.held.keptBytes == 400 && broker.brokenInvariants().isEmpty)
        for board in ["second", "third"] {
            let other = broker.connect()
            broker.write([Self.kept("b")], kept: [bytes], board: board, from: other)
            broker.disconnect(other)
        }
        #expect(broker.evictions.map(\.board) == ["left"] && broker.held.keptBytes == 800)
        #expect(broker.brokenInvariants().isEmpty)
    }

}
