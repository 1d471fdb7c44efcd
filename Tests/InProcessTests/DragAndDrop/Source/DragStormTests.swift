import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

private typealias Drag = PasteboardKit.Drag

@Suite("Many simultaneous drags", .inProcess)
struct DragStormTests {
    private static let sources = 4
    private static let sessions = 50
    private static let sites = ["w", "x", "y", "z"]

    @Test(
        "in random drags each session ends, and a source deletes only items that its destination has",
        arguments: Seeds.fixed(1)
    )
    func storm(seed: UInt64) async throws {
        let chance = Chance(seed)
        let kept = DropSite.Log()
        let outcomes = DropSite.Log()
        try await DragBroker.with { broker in
            let sites = Self.sites.map { name in
                DropSite(
                    name,
                    on: broker.connect(),
                    propose: { session, _ in
                        let operations: [DropOperation] = [.cancel, .forbidden, .copy, .move, .move]
                        return DropProposal(operation: operations[chance.next(operations.count)])
                    },
                    perform: { session, _ in try await Self.perform(session, kept, chance) }
                )
            }
            await withTaskGroup(of: Void.self) { group in
                for source in 0..<Self.sources {
                    group.addTask {
                        var connection = broker.connect()
                        for session in 0..<Self.sessions {
                            let name = "\(source).\(session)"
                            let closes = chance.next(12) == 0
                            outcomes.add(await Self.drag(name, connection, kept, chance, closes: closes))
                            if closes { connection = broker.connect() }
                        }
                    }
                }
            }
            for site in sites {
                let lines = await site.stop()
                #expect(lines.count { $0 == "entered" } >= lines.count { $0 == "ended" })
            }
        }
        #expect(outcomes.lines.count == Self.sources * Self.sessions)
        #expect(!outcomes.lines.filter { $0 == "transferred move" }.isEmpty)
        #expect(outcomes.lines.filter { $0.hasPrefix("lost") }.isEmpty)
    }

    /// Loads all, some or none of the items, or throws after loading them.
    private static func perform(_ session: any DropSession, _ kept: DropSite.Log, _ chance: Chance) async throws {
        var texts: [String] = []
        switch chance.next(5) {
        case 0: return
        case 1: texts = [try await session.items[0].itemProvider.load(String.self)]
        case 2:
            texts = try await session.load(String.self)
            if chance.next(2) == 0 { throw PasteboardError(.noSpace, message: "no room") }
        default: texts = try await session.load(String.self)
        }
        // From now on the destination has the items, whatever the source is notified of.
        for text in texts { kept.add(text) }
    }

    /// - Returns: how the drag ended; "lost" if the source deleted an item that no destination has.
    private static func drag(
        _ name: String,
        _ connection: PasteboardConnection,
        _ kept: DropSite.Log,
        _ chance: Chance,
        closes: Bool
    ) async -> String {
        let texts = (0...chance.next(3)).map { "\(name).\($0)" }
        let items = texts.map { text in
            let provider = ItemProvider.making(.utf8PlainText) {
                if chance.next(20) == 0 { throw PasteboardError(.sourceFailed, message: "no more") }
                return Data(text.utf8)
            }
            return DragItem(itemProvider: provider)
        }
        var options = Drag.Options()
        options.allowsMoveBetweenProcesses = chance.next(4) > 0
        do throws(PasteboardError) {
            let drag = try await Drag.begin(items, options: options, connection: connection)
            // A destination may be busy or not registered yet; such errors are acceptable.
            for _ in 0..<30 {
                let place = DropLocation.row(chance.next(5), of: sites[chance.next(sites.count)])
                let operation = (try? await drag.move(to: place))?.operation
                if operation == .copy || operation == .move, chance.next(4) > 0 { break }
            }
            switch chance.next(12) {
            case 0: await drag.cancel()
            case 1: try await drag.add([.text("\(name).more")])
            default: _ = try? await drag.drop()
            }
            if closes { await connection.close() }
            if chance.next(10) == 0 { return "let go" }
            let withdraws = chance.next(8) == 0
            async let withdrawn: Void = withdraws ? drag.cancel() : ()
            // A drag that was not dropped does not end by itself.
            let wasDropped = (try? await drag.drop()) != nil
            await withdrawn
            let outcome = try await drag.outcome()
            if case .transferred(.move) = outcome {
                // The source may delete the items now.
                let deleted = drag.transferredItems.map { item in
                    items.firstIndex { $0 === item }.map { texts[$0] } ?? "\(name).more"
                }
                guard deleted.count == drag.items.count, Set(kept.lines).isSuperset(of: deleted) else {
                    return "lost: \(deleted) of \(texts)"
                }
            }
            return wasDropped ? outcome.text : "not dropped"
        } catch {
            return "refused: \(error.code)"
        }
    }

    /// A random generator that several tasks share.
    private final class Chance: Sendable {
        private let generator: Lock<SeededGenerator>

        init(_ seed: UInt64) {
            generator = Lock(SeededGenerator(seed: seed))
        }

        /// A random number below `count`.
        func next(_ count: Int) -> Int {
            generator.withLock { Int.random(in: 0..<count, using: &$0) }
        }
    }
}
