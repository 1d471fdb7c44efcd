import BlockingClient
import Dispatch
import Glibc
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport

/// Events that clients of a dying broker report, from any thread.
final class DeathLedger: Sendable {
    /// Bytes of one representation: a range of a block of bytes that all clients know.
    struct Part: Hashable {
        let offset: Int
        let count: Int
    }

    struct Entries {
        /// The number of deaths of the broker.
        var deaths = 0
        var isOver = false
        /// The number of acknowledged writes and of loads that ended with bytes.
        var work = 0
        /// The latest death after which each copier has verified its contents, or -1.
        var verified: [Int]
        /// The number of bytes that each copier has at the broker.
        var kept: [Int]
        /// The number of files with the contents of each copier.
        var saved: [Int]
        /// The bytes that each copier has ever begun to write, by their number.
        var begun: [[Int: [Part]]]
        /// The promises whose sources live and do not wait.
        var promises: [DeathLoader.Promise] = []
        /// The requests to sources whose handlers wait.
        var asks = 0
        /// The results of loads that waited for those handlers.
        var results: [Int: [LoadEnd]] = [:]
        var lostWrites = 0
        var lostLoads = 0
        /// The unacknowledged writes that had taken place.
        var lateWrites = 0
        var faults: [String] = []
        /// Opens when the waiting handlers may go on.
        fileprivate var gate = Gate()
        fileprivate var awaited: (@Sendable (Entries) -> Bool)?
    }

    /// The end of a load that waited while the broker died.
    enum LoadEnd {
        case bytes
        /// The error `broker-restarted`.
        case lost
    }

    struct Hangs: Error {
        let waitedFor: String
        let entries: String
    }

    let socket: BrokerPlace
    /// Held by clients while they connect, and by the test while no broker listens.
    let isListening = Lock(())
    let seed: UInt64
    private let block = Desk.bytes(DeathLedger.longest + DeathLedger.offsets)
    private let entries: Lock<Entries>
    private let isReached = DispatchSemaphore(value: 0)

    /// The greatest size of a representation.
    static let longest = 1 << 20
    /// The number of places in the block at which parts begin.
    private static let offsets = 60_000

    init(_ place: BrokerPlace, copiers: Int, seed: UInt64) {
        socket = place
        self.seed = seed
        entries = Lock(
            Entries(
                verified: Array(repeating: -1, count: copiers),
                kept: Array(repeating: 0, count: copiers),
                saved: Array(repeating: 0, count: copiers),
                begun: Array(repeating: [:], count: copiers)
            )
        )
    }

    var now: Entries { entries.withLock { $0 } }
    var isOver: Bool { entries.withLock { $0.isOver } }
    var deaths: Int { entries.withLock { $0.deaths } }

    func record(_ change: (inout Entries) -> Void) {
        let isReached = entries.withLock { entries in
            change(&entries)
            guard let awaited = entries.awaited, awaited(entries) else { return false }
            entries.awaited = nil
            return true
        }
        if isReached { self.isReached.signal() }
    }

    /// Promises that can be loaded now.
    var promises: [DeathLoader.Promise] { entries.withLock { $0.promises } }

    /// The parts of this size that a copier has begun to write.
    func parts(begunBy copier: Int, count: Int) -> [Part] {
        entries.withLock { $0.begun[copier][count] ?? [] }
    }

    var gate: Gate { entries.withLock { $0.gate } }

    /// Lets the handlers of later requests wait.
    func closeGate() {
        record { $0.gate = Gate() }
    }

    /// Records the end of a load that waited.
    func ended(_ load: Int, _ bytes: [UInt8]?, _ error: (any Error)?, expecting expected: [UInt8]) {
        switch (bytes, error as? PasteboardError) {
        case (let bytes?, nil) where bytes == expected: record { $0.results[load, default: []].append(.bytes) }
        case (nil, let error?) where error.code == .brokerRestarted:
            record { $0.results[load, default: []].append(.lost) }
        default: fault("load \(load) ended with \(bytes?.count ?? 0) bytes and \(error.map { "\($0)" } ?? "no error")")
        }
    }

    func fault(_ text: String) {
        record { $0.faults.append(text) }
    }

    /// Waits until the entries fulfill a condition, or there is a fault.
    func wait(for text: String, until condition: @escaping @Sendable (Entries) -> Bool) throws {
        record { $0.awaited = { !$0.faults.isEmpty || condition($0) } }
        if isReached.wait(timeout: .now() + .milliseconds(ProcessRunner.watchdog)) == .timedOut {
            let now = self.now
            throw Hangs(waitedFor: text, entries: "deaths \(now.deaths), work \(now.work), verified \(now.verified)")
        }
    }

    // MARK: Bytes

    /// A part of a random size: often empty or short.
    static func part(using generator: inout SeededGenerator) -> Part {
        let longest = [0, 2_000, 2_000, longest, longest].randomElement(using: &generator) ?? 0
        return Part(
            offset: Int.random(in: 0..<offsets, using: &generator),
            count: Int.random(in: 0...longest, using: &generator)
        )
    }

    func bytes(of part: Part) -> [UInt8] {
        Array(block[part.offset..<part.offset + part.count])
    }

    func isEqual(_ part: Part, _ bytes: [UInt8]) -> Bool {
        guard part.count == bytes.count else { return false }
        // One call instead of a comparison of each element, which is slow in debug builds.
        return block.withUnsafeBytes { block in
            bytes.withUnsafeBytes { bytes in
                guard let bytes = bytes.baseAddress, let block = block.baseAddress else { return true }
                return memcmp(block + part.offset, bytes, part.count) == 0
            }
        }
    }

    // MARK: Connections

    func connect() throws -> BlockingConnection {
        try isListening.withLock { _ in try socket.connection() }
    }

    /// Whether a request failed because its broker has died.
    static func isDeath(_ error: any Error) -> Bool {
        guard let code = (error as? Failure)?.code else { return false }
        return code == .brokerUnavailable || code == .brokerRestarted
    }
}
