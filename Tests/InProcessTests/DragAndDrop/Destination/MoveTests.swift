import FoundationEssentials
import Glibc
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

@Suite("Moves and the items that a destination has taken", .inProcess)
struct MoveTests {
    private static let betweenProcesses = {
        var options = Drag.Options()
        options.allowsMoveBetweenProcesses = true
        return options
    }()

    private static let moving: DropSite.Propose = { _, _ in DropProposal(operation: .move) }

    @Test(
        "a move between processes needs the source's permission; a move within one process is allowed by default"
    )
    func permission() async throws {
        try await DragBroker.with { broker in
            let connection = broker.connect(process: 7)
            let site = DropSite(
                on: connection,
                propose: { session, _ in
                    DropProposal(operation: session.allowsMoveOperation ? .move : .copy)
                },
                perform: { session, _ in _ = try await session.load(String.self) }
            )
            let greedy = DropSite("greedy", on: connection, propose: Self.moving, perform: { _, _ in })
            var never = Drag.Options()
            never.allowsMoveOperation = false
            never.allowsMoveBetweenProcesses = true
            let cases: [(UInt32, Drag.Options, DropOperation, DropOperation)] = [
                (8, Drag.Options(), .copy, .cancel), (8, Self.betweenProcesses, .move, .move),
                (7, Drag.Options(), .move, .move), (7, never, .copy, .cancel), (8, never, .copy, .cancel),
            ]
            for (process, options, operation, greedyOperation) in cases {
                let source = broker.connect(process: process)
                let drag = try await Drag.begin([.text("a")], options: options, connection: source)
                #expect(drag.allowsMoveOperation == options.allowsMoveOperation)
                #expect(try await drag.reach("greedy").operation == greedyOperation)
                #expect(try await drag.reach().operation == operation)
                #expect(try await drag.drop() == operation)
                #expect(try await drag.outcome().text == "transferred \(operation)")
            }
            await site.stop()
            await greedy.stop()
        }
    }

    @Test("if a handler throws, the source may delete nothing, although all bytes have arrived")
    func thrown() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, _ in
                _ = try await session.load(String.self)
                throw Full()
            }
            let source = broker.connect()
            let drag = try await Drag.begin([.text("a")], options: Self.betweenProcesses, connection: source)
            try await drag.reach()
            #expect(try await drag.drop() == .move)
            guard case .failed(let error) = try await drag.outcome() else {
                Issue.record("it was taken")
                return
            }
            #expect(error.code == .refused)
            #expect(error.message == "destination site did not perform the drop: the shelf is full")
            #expect(drag.transferredItems.isEmpty && drag.deletableItems.isEmpty)
            try await site.happened("ended")
            #expect(site.log.endings == ["failed refused"])
            await site.stop()
        }
    }

    @Test(
        "if a destination loads only some items of a move, the source may delete those, and the move is not complete"
    )
    func part() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, _ in
                _ = try await session.items[1].itemProvider.load(String.self)
            }
            let source = broker.connect()
            let items: [DragItem] = [.text("a"), .text("b"), .text("c")]
            let drag = try await Drag.begin(items, options: Self.betweenProcesses, connection: source)
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == "failed refused")
            #expect(drag.transferredItems.count == 1 && drag.transferredItems.first === items[1])
            #expect(drag.deletableItems.map { ObjectIdentifier($0) } == [ObjectIdentifier(items[1])])
            await site.stop()
        }
    }

    @Test("an item is not deleted if its object could not be decoded for a callback")
    func undecodableInCallback() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, _ in
                for item in session.items {
                    item.itemProvider.loadObject(ofClass: EvenNumber.self) { _, _ in }
                }
            }
            let source = broker.connect()
            for (texts, outcome) in [(["2", "3"], "failed refused"), (["2", "4"], "transferred move")] {
                let items = texts.map { DragItem.text($0) }
                let drag = try await Drag.begin(items, options: Self.betweenProcesses, connection: source)
                try await drag.reach()
                try await drag.drop()
                #expect(try await drag.outcome().text == outcome)
            }
            await site.stop()
        }
    }

    @Test("an item whose object cannot be decoded is left out, and is not deleted")
    func undecodable() async throws {
        try await DragBroker.with { broker in
            let picky = DropSite.Log()
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, _ in
                let even = try await session.load(EvenNumber.self)
                for number in even { picky.add("\(number.value)") }
                // The same holds for classes of the library that cannot decode the text.
                for text in try await session.load(String.self) { picky.add(text) }
            }
            let source = broker.connect()
            let garbled = ItemProvider()
            garbled.registerDataRepresentation(for: .utf8PlainText) { Data([0x32, 0xFF]) }
            let odd: [DragItem] = [.text("2"), .text("3"), .text("4")]
            let cases = [
                (odd, "failed refused"), ([.text("2"), .text("4")], "transferred move"),
                ([.text("2"), DragItem(itemProvider: garbled)], "failed refused"),
            ]
            for (items, outcome) in cases {
                let drag = try await Drag.begin(items, options: Self.betweenProcesses, connection: source)
                try await drag.reach()
                try await drag.drop()
                #expect(try await drag.outcome().text == outcome)
            }
            #expect(picky.lines == ["2", "4", "2", "3", "4", "2", "4", "2", "4", "2", "2"])
            await site.stop()
        }
    }

    @Test("a failed load makes the drop fail with its error, and the handler can continue without it (S49-S51)")
    func failedLoad() async throws {
        try await DragBroker.with { broker in
            let bad = ItemProvider()
            bad.registerDataRepresentation(for: .utf8PlainText) { throw Full() }
            let texts = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, _ in
                for text in try await session.load(String.self) { texts.add(text) }
            }
            let items: [DragItem] = [DragItem(itemProvider: bad), .text("good")]
            let drag = try await Drag.begin(items, connection: broker.connect())
            try await drag.reach()
            try await drag.drop()
            #expect(try await drag.outcome().text == "failed source-failed")
            #expect(drag.transferredItems.count == 1 && drag.transferredItems.first === items[1])
            #expect(texts.lines == ["good"])
            // If no object could be decoded, the error of the first item is thrown.
            let second = try await Drag.begin([items[0]], connection: broker.connect())
            try await second.reach()
            try await second.drop()
            #expect(try await second.outcome().text == "failed refused")
            await site.stop()
        }
    }

    @Test("a drop is complete only when its callbacks have returned, which run on threads of the library (S57)")
    func callbacks() async throws {
        try await DragBroker.with { broker in
            let (called, goOn) = (Gate(), Gate())
            let count = Counter()
            let main = await MainActor.run { pthread_self() }
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, _ in
                session.loadObjects(ofClass: String.self) { objects in
                    #expect(objects == ["a", "b"])
                    count.increment()
                }
                session.items[0].itemProvider.loadDataRepresentation(for: .plainText) { _, _ in
                    #expect(pthread_equal(pthread_self(), main) == 0)
                    called.open()
                    let isOpen = Semaphore()
                    Task {
                        await goOn.wait()
                        isOpen.signal()
                    }
                    isOpen.wait()
                    count.increment()
                }
                session.items[1].itemProvider.loadFileRepresentation(for: .plainText) { url, _, _ in
                    #expect(url != nil)
                    count.increment()
                }
            }
            let source = broker.connect()
            let items: [DragItem] = [.text("a"), .text("b")]
            let drag = try await Drag.begin(items, options: Self.betweenProcesses, connection: source)
            try await drag.reach()
            try await drag.drop()
            await called.wait()
            goOn.open()
            #expect(try await drag.outcome().text == "transferred move")
            #expect(count.value == 3)
            await site.stop()
        }
    }

    @Test(
        "an extension of the drop window may begin loads after the handler, and fails the drop by throwing"
    )
    func extensions() async throws {
        try await DragBroker.with { broker in
            let texts = DropSite.Log()
            let site = DropSite(on: broker.connect(), propose: Self.moving) { session, location in
                let isLast = location.indexPath?.last == 2
                session.extendDropWindow {
                    for text in try await session.load(String.self) { texts.add(text) }
                    session.extendDropWindow {
                        _ = try await session.items[0].itemProvider.loadData(for: .plainText)
                        texts.add("again")
                        if isLast { throw Full() }
                    }
                }
            }
            let source = broker.connect()
            for (row, outcome) in [(1, "transferred move"), (2, "failed refused")] {
                let drag = try await Drag.begin([.text("a")], options: Self.betweenProcesses, connection: source)
                try await drag.reach(row: row)
                try await drag.drop()
                #expect(try await drag.outcome().text == outcome)
            }
            #expect(texts.lines == ["a", "again", "a", "again"])
            await site.stop()
        }
    }

    @Test("the progress of a drop contains all its loads, and cancelling it cancels them")
    func progress() async throws {
        try await DragBroker.with { broker in
            let (asked, goOn) = (Counter(), Gate())
            let slow = { (text: String) in
                let provider = ItemProvider()
                provider.registerDataRepresentation(for: .utf8PlainText) {
                    asked.increment()
                    await goOn.wait()
                    return Data(text.utf8)
                }
                return DragItem(itemProvider: provider)
            }
            let seen = Lock<[LoadProgress]>([])
            let codes = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, _ in
                seen.withLock { $0.append(session.progress) }
                await withTaskGroup { group in
                    for item in session.items {
                        group.addTask { await codes.load(item.itemProvider) }
                    }
                }
            }
            let drag = try await Drag.begin([.text("quick"), slow("a"), slow("b")], connection: broker.connect())
            try await drag.reach()
            try await drag.drop()
            try await eventually("two asks and the first result") { asked.value >= 2 && !codes.lines.isEmpty }
            let progress = try #require(seen.withLock { $0.first })
            #expect(progress.totalUnitCount == 3)
            #expect(!progress.isFinished)
            #expect(abs(progress.fractionCompleted - 1.0 / 3) < 0.001)
            progress.cancel()
            #expect(try await drag.outcome().text == "failed cancelled")
            #expect(codes.lines == ["loaded", "cancelled", "cancelled"])

            goOn.open()
            let second = try await Drag.begin([.text("quick"), slow("a")], connection: broker.connect())
            try await second.reach()
            try await second.drop()
            #expect(try await second.outcome().text == "transferred copy")
            let last = try #require(seen.withLock { $0.last })
            #expect(last.isFinished && last.fractionCompleted == 1)
            await site.stop()
        }
    }
}

private struct Full: Error, CustomStringConvertible {
    var description: String { "the shelf is full" }
}

/// An object that only some texts can be decoded to.
private struct EvenNumber: ItemProviderReading {
    let value: Int

    static let readableTypeIdentifiersForItemProvider = ["public.plain-text"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> EvenNumber {
        guard let value = Int(String(decoding: data, as: UTF8.self)), value.isMultiple(of: 2) else { throw Full() }
        return EvenNumber(value: value)
    }
}
