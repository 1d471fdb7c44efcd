import BlockingClient
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A client that writes kept contents to a board of its own, or clears it, again and again. After each death of the
/// broker it verifies that the board has its last acknowledged state, or the one that was being written.
struct DeathCopier {
    private struct Contents: Equatable {
        let name: String
        let parts: [DeathLedger.Part]

        /// The number of files: those of large bytes, and that of their description and of small ones.
        var saved: Int { 1 + parts.count { $0.count > WireLimits.inlineLength } }
    }

    private struct Expected {
        /// Nil: the board is empty.
        let contents: Contents?
        /// Nil: the broker has not acknowledged it.
        let changeCount: UInt64?
    }

    private static let types = ["public.data", "public.png"]

    private let ledger: DeathLedger
    private let number: Int
    private var generator: SeededGenerator
    private var connection: BlockingConnection?
    private var acknowledged: Expected?
    /// The request that has been sent, and not been answered.
    private var attempted: Expected?
    private var lastChangeCount: UInt64 = 0
    private var turns = 0
    private var verifiedDeath = -1

    static func board(_ number: Int) -> String { "copies \(number)" }

    init(_ number: Int, ledger: DeathLedger) {
        self.number = number
        self.ledger = ledger
        generator = SeededGenerator(seed: ledger.seed &+ UInt64(number))
    }

    /// Works until the test is over.
    mutating func run() {
        while !ledger.isOver {
            do {
                try turn()
            } catch let error where DeathLedger.isDeath(error) {
                connection = nil
            } catch {
                return ledger.fault("copier \(number): \(error)")
            }
        }
    }

    private mutating func turn() throws {
        // Before connecting: a verification counts for the deaths before it.
        let deaths = ledger.deaths
        let connection = try self.connection ?? ledger.connect()
        self.connection = connection
        if attempted != nil || verifiedDeath < deaths {
            let hasLostWrite = attempted != nil
            try verify(over: connection)
            verifiedDeath = deaths
            return ledger.record { [number] entries in
                entries.verified[number] = deaths
                if hasLostWrite { entries.lostWrites += 1 }
            }
        }
        turns += 1
        if Int.random(in: 0..<8, using: &generator) == 0 {
            try clear(over: connection)
        } else {
            try write(over: connection)
        }
        // The publications that were replaced have ended.
        try connection.turn(until: 0) { _, _, _ in }
    }

    private mutating func clear(over connection: BlockingConnection) throws {
        var clear = Clear()
        clear.board = Self.board(number)
        attempted = Expected(contents: nil, changeCount: nil)
        acknowledge(try connection.clear(clear))
    }

    private mutating func write(over connection: BlockingConnection) throws {
        let parts = Self.types.prefix(Int.random(in: 1...2, using: &generator)).map { _ in
            DeathLedger.part(using: &generator)
        }
        let passes = Bool.random(using: &generator)
        var write = Write()
        write.board = Self.board(number)
        let name = "turn \(turns)"
        let item = WriteItem(
            Item(suggestedName: name),
            representations: try zip(Self.types, parts).map { type, part in
                var representation = Representation()
                representation.type = type
                let bytes = ledger.bytes(of: part)
                guard passes else { return (representation, .bytes(bytes)) }
                let file = try #require(try connection.welcome().keptFile(for: UInt64(bytes.count)))
                try file.append(bytes.span)
                return (representation, .memory(try file.completed()))
            }
        )
        ledger.record { [number] entries in
            for part in parts { entries.begun[number][part.count, default: []].append(part) }
        }
        attempted = Expected(contents: Contents(name: name, parts: parts), changeCount: nil)
        acknowledge(try connection.write(write, items: [item]).committed)
    }

    private mutating func acknowledge(_ committed: Committed) {
        let count = committed.changeCount ?? 0
        // Clearing an empty board changes nothing.
        let isRepeated = attempted?.contents == nil && acknowledged?.contents == nil
        if count < lastChangeCount || (count == lastChangeCount && !isRepeated) {
            ledger.fault("copier \(number): change count \(count) follows \(lastChangeCount)")
        }
        recordContents(attempted?.contents, count)
        ledger.record { $0.work += 1 }
    }

    /// Records what the board has now.
    private mutating func recordContents(_ contents: Contents?, _ changeCount: UInt64) {
        lastChangeCount = max(lastChangeCount, changeCount)
        acknowledged = Expected(contents: contents, changeCount: changeCount)
        attempted = nil
        ledger.record { [number] entries in
            entries.kept[number] = contents?.parts.reduce(0) { $0 + $1.count } ?? 0
            entries.saved[number] = contents?.saved ?? 0
        }
    }

    // MARK: Verifying

    private mutating func verify(over connection: BlockingConnection) throws {
        let listing = try connection.listing(of: Self.board(number))
        let count = listing.contents.changeCount ?? 0
        let found = try contents(of: listing, over: connection)
        switch (acknowledged, attempted) {
        case (let before?, _) where before.contents == found && (found == nil || before.changeCount == count):
            recordContents(found, max(count, lastChangeCount))
        case (_, let attempted?) where attempted.contents == found && (found == nil || count > lastChangeCount):
            ledger.record { $0.lateWrites += 1 }
            recordContents(found, count)
        case (nil, _) where found == nil:
            recordContents(nil, count)
        default:
            ledger.fault(
                """
                copier \(number): found \(found.map { "\($0)" } ?? "nothing") under \(count) after \
                \(acknowledged.map { "\($0)" } ?? "nothing") and \(attempted.map { "\($0)" } ?? "no attempt")
                """
            )
        }
    }

    /// The contents of the board by their bytes.
    private func contents(of listing: BoardListing, over connection: BlockingConnection) throws -> Contents? {
        guard let item = listing.items.first else { return nil }
        // The name identifies the candidate, and then the bytes have to be those of the candidate.
        let name = item.suggestedName ?? ""
        let candidates = [acknowledged?.contents, attempted?.contents].compactMap(\.self)
        guard let contents = candidates.first(where: { $0.name == name }) else {
            return Contents(name: name, parts: [])
        }
        guard item.representations.map(\.type) == Array(Self.types.prefix(contents.parts.count)) else {
            return Contents(name: "\(name) with types \(item.representations.map(\.type))", parts: [])
        }
        for (type, part) in zip(Self.types, contents.parts) {
            let bytes = try connection.loadBytes(Load(of: type, from: Self.board(number))).bytes
            guard ledger.isEqual(part, bytes) else {
                return Contents(name: "\(name) with \(bytes.count) other bytes for \(type)", parts: [])
            }
        }
        return contents
    }
}

extension Load {
    /// A load that only a broker that hangs lets time out.
    init(of type: String, from board: String) {
        self.init()
        self.board = board
        let accept = Accept(type)
        accepts = [accept]
        timeoutMilliseconds = UInt64(ProcessRunner.watchdog)
    }
}
