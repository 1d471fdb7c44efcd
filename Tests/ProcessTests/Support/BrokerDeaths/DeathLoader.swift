import BlockingClient
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A client that loads from the boards of copiers and sources all the time.
struct DeathLoader {
    /// A board whose promise always has the same bytes.
    struct Promise: Sendable {
        let board: String
        let type: String
        let bytes: [UInt8]
    }

    private let ledger: DeathLedger
    private let copiers: Int
    private var generator: SeededGenerator
    private var connection: BlockingConnection?

    init(_ number: Int, ledger: DeathLedger, copiers: Int) {
        self.ledger = ledger
        self.copiers = copiers
        generator = SeededGenerator(seed: ledger.seed &+ UInt64(1_000 + number))
    }

    /// Works until the test is over.
    mutating func run() {
        while !ledger.isOver {
            do {
                let connection = try self.connection ?? ledger.connect()
                self.connection = connection
                try load(over: connection)
            } catch let error where DeathLedger.isDeath(error) {
                ledger.record { $0.lostLoads += 1 }
                connection = nil
            } catch let failure as Failure where failure.code == .nothingHere {
                // The board is empty, or its source has not written its promises again yet.
            } catch {
                return ledger.fault("a load failed: \(error)")
            }
        }
    }

    private mutating func load(over connection: BlockingConnection) throws {
        let promises = ledger.promises
        let number = Int.random(in: 0..<copiers + promises.count, using: &generator)
        if number < copiers {
            let board = DeathCopier.board(number)
            let bytes = try connection.loadBytes(Load(of: "public.data", from: board)).bytes
            let parts = ledger.parts(begunBy: number, count: bytes.count)
            guard parts.contains(where: { ledger.isEqual($0, bytes) }) else {
                return ledger.fault("\(board) had \(bytes.count) bytes that nobody has written")
            }
        } else {
            let promise = promises[number - copiers]
            let result = Result { () throws(Failure) in
                try connection.loadBytes(Load(of: promise.type, from: promise.board)).bytes
            }
            // The test may have ended the source.
            let lives = ledger.promises.contains { $0.board == promise.board }
            if case .failure(let failure) = result, failure.code == .sourceGone, !lives { return }
            let bytes = try result.get()
            guard bytes == promise.bytes else { return ledger.fault("\(promise.board) had \(bytes.count) other bytes") }
        }
        ledger.record { $0.work += 1 }
    }
}
