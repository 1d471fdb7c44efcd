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
    @Test("if a handler throws, the source may delete nothing, although all bytes have arrived")
    func thrown() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                _ = try await session.load(String.self)
                throw Full()
            }
            let drag = try await Drag.drop(from: broker.connect())
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
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                _ = try await session.items[1].itemProvider.load(String.self)
            }
            let items: [DragItem] = [.text("a"), .text("b"), .text("c")]
            let drag = try await Drag.drop(items, from: broker.connect())
            #expect(try await drag.outcome().text == "failed refused")
            #expect(drag.transferredItems.count == 1 && drag.transferredItems.first === items[1])
            #expect(drag.deletableItems.map { ObjectIdentifier($0) } == [ObjectIdentifier(items[1])])
            await site.stop()
        }
    }

    @Test("an item is not deleted if its object could not be decoded for a callback")
    func undecodableInCallback() async throws {
        try await DragBroker.with { broker in
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                for item in session.items {
                    item.itemProvider.loadObject(ofClass: EvenNumber.self) { _, _ in }
                }
            }
            for (texts, outcome) in [(["2", "3"], "failed refused"), (["2", "4"], "transferred move")] {
                let items = texts.map { DragItem.text($0) }
                let drag = try await Drag.drop(items, from: broker.connect())
                #expect(try await drag.outcome().text == outcome)
            }
            await site.stop()
        }
    }

    @Test("an item whose object cannot be decoded is left out, and is not deleted")
    func undecodable() async throws {
        try await DragBroker.with { broker in
            let picky = DropSite.Log()
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
                let even = try await session.load(EvenNumber.self)
                for number in even { picky.add("\(number.value)") }
                // The same holds for classes of the library that cannot decode the text.
                for text in try await session.load(String.self) { picky.add(text) }
            }
            let garbled = ItemProvider.making(.utf8PlainText) { Data([0x32, 0xFF]) }
            let odd: [DragItem] = [.text("2"), .text("3"), .text("4")]
            let cases = [
                (odd, "failed refused"), ([.text("2"), .text("4")], "transferred move"),
                ([.text("2"), DragItem(itemProvider: garbled)], "failed refused"),
            ]
            for (items, outcome) in cases {
                let drag = try await Drag.drop(items, from: broker.connect())
                #expect(try await drag.outcome().text == outcome)
            }
            #expect(picky.lines == ["2", "4", "2", "3", "4", "2", "4", "2", "4", "2", "2"])
            await site.stop()
        }
    }

    @Test("a failed load makes the drop fail with its error, and the handler can continue without it (S49-S51)")
    func failedLoad() async throws {
        try await DragBroker.with { broker in
            let bad = ItemProvider.making(.utf8PlainText) { throw Full() }
            let texts = DropSite.Log()
            let site = DropSite(on: broker.connect()) { session, _ in
                for text in try await session.load(String.self) { texts.add(text) }
            }
            let items: [DragItem] = [DragItem(itemProvider: bad), .text("good")]
            let drag = try await Drag.drop(items, from: broker.connect())
            #expect(try await drag.outcome().text == "failed source-failed")
            #expect(drag.transferredItems.count == 1 && drag.transferredItems.first === items[1])
            #expect(texts.lines == ["good"])
            // If no object could be decoded, the error of the first item is thrown.
            let second = try await Drag.drop([items[0]], from: broker.connect())
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
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, _ in
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
            let items: [DragItem] = [.text("a"), .text("b")]
            let drag = try await Drag.drop(items, from: broker.connect())
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
            let site = DropSite(on: broker.connect(), propose: { _, _ in .move }) { session, location in
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
            for (row, outcome) in [(1, "transferred move"), (2, "failed refused")] {
                let drag = try await Drag.drop(row: row, from: broker.connect())
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
                let provider = ItemProvider.making(.utf8PlainText) {
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
            let drag = try await Drag.drop([.text("quick"), slow("a"), slow("b")], from: broker.connect())
            try await eventually("two asks and the first result") { asked.value >= 2 && !codes.lines.isEmpty }
            let progress = try #require(seen.withLock { $0.first })
            #expect(progress.totalUnitCount == 3)
            #expect(!progress.isFinished)
            #expect(abs(progress.fractionCompleted - 1.0 / 3) < 0.001)
            progress.cancel()
            #expect(try await drag.outcome().text == "failed cancelled")
            #expect(codes.lines == ["loaded", "cancelled", "cancelled"])

            goOn.open()
            let second = try await Drag.drop([.text("quick"), slow("a")], from: broker.connect())
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
