import BlockingClient
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A process with ordinary requests, which have to succeed whatever other processes do: a copy, a paste, and a load of
/// what another process promises.
final class Canary {
    private static let copies = "canary"
    private static let promises = "promises of the canary"
    private static let size = 64 << 10

    private let connection: BlockingConnection
    private let source: PeerProcess
    private let promised: [UInt8]
    private let block = Desk.bytes(2 * Canary.size)
    private var turns = 0

    init(at broker: BrokerProcess) throws {
        source = try broker.source("board=\(Self.promises)", "serve=\(Self.size)")
        connection = try broker.connect()
        promised = try connection.loadBytes(Self.load(from: Self.promises)).bytes
        #expect(promised.count == Self.size)
        // From now on the broker holds the same for this process.
        try sing()
    }

    /// Copies, pastes and loads once.
    func sing() throws {
        turns += 1
        let bytes = Array(block[(turns % Self.size)...].prefix(Self.size))
        var write = Write()
        write.board = Self.copies
        var representation = Representation()
        representation.type = "public.data"
        let item = WriteItem(representations: [(representation: representation, source: .bytes(bytes))])
        _ = try connection.write(write, items: [item])
        #expect(try connection.loadBytes(Self.load(from: Self.copies)).bytes == bytes)
        #expect(try connection.loadBytes(Self.load(from: Self.promises)).bytes == promised)
        // The publications that were replaced have ended.
        try connection.turn(until: 0) { _, _, _ in }
    }

    func status() throws -> [StatusEntry] {
        try connection.status()
    }

    /// Clears all pasteboards of others.
    func clearOthers() throws {
        for board in try status().compactMap(\.board?.name) where board != Self.copies && board != Self.promises {
            var clear = Clear()
            clear.board = board
            _ = try connection.clear(clear)
        }
    }

    func end() throws {
        try source.end()
    }

    private static func load(from board: String) -> Load {
        var load = Load()
        load.board = board
        // Only a broker that hangs reaches it.
        load.timeoutMilliseconds = UInt64(ProcessRunner.watchdog)
        return load
    }
}

/// The objects, bytes and descriptors that a broker holds for its clients.
struct BrokerHoldings: Equatable {
    private static let names: Set = [
        "bytes-kept", "bytes-in-transfer", "objects-held", "descriptors-expected",
        "descriptors-unclosed",
    ]

    private var counters: [String: UInt64] = [:]
    private var peers = 0
    private var boards = 0
    private var loads = 0
    private var sessions = 0
    private var destinations = 0
    private var descriptors = 0

    init(of broker: BrokerProcess, to canary: Canary) throws {
        for entry in try canary.status() {
            if let counter = entry.counter, Self.names.contains(counter.name) { counters[counter.name] = counter.value }
            if entry.peer != nil { peers += 1 }
            if entry.board != nil { boards += 1 }
            if entry.load != nil { loads += 1 }
            if entry.session != nil { sessions += 1 }
            if entry.destination != nil { destinations += 1 }
        }
        descriptors = try broker.openDescriptorCount()
    }
}

extension BrokerProcess {
    /// Waits until the broker holds what it held before: it may not have noticed yet that processes have ended.
    func expectHoldings(_ before: BrokerHoldings, to canary: Canary, _ comment: Comment? = nil) throws {
        var now = before
        do {
            try eventually("the same holdings") {
                now = try BrokerHoldings(of: self, to: canary)
                return now == before
            }
        } catch is NeverHappened {}
        #expect(now == before, comment)
    }
}
