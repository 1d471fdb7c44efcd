package import PasteboardWire

/// The hand-over of promises before a program ends: which bytes are made, kept and dropped, and until when.
package struct HandOver: Sendable {
    package struct Promise: Hashable, Sendable, Comparable {
        package let item: Int
        package let representation: Int

        package init(item: Int, representation: Int) {
            self.item = item
            self.representation = representation
        }

        /// The positions of all representations, also of those that are kept.
        ///
        /// - Parameter counts: the number of representations of each item.
        package static func all(in counts: [Int]) -> [Promise] {
            counts.enumerated().flatMap { item, count in
                (0..<count).map { Promise(item: item, representation: $0) }
            }
        }

        package static func < (one: Promise, other: Promise) -> Bool {
            (one.item, one.representation) < (other.item, other.representation)
        }
    }

    package enum Step: Equatable, Sendable {
        /// Makes the bytes of a promise.
        case make(Promise)
        /// Waits for bytes and answers, or until the deadline.
        case wait
        case over
    }

    /// The longest duration by default, in milliseconds.
    package static let duration = 5_000
    /// The maximum number of bytes that one broker gets by default.
    package static let byteLimit: UInt64 = 64 << 20
    /// The maximum number of promises whose bytes are made at the same time.
    package static let atOnce = 16

    package let promises: [Promise]
    package let deadline: UInt64
    /// The promises whose bytes the broker has.
    package private(set) var kept: Set<Promise> = []
    /// The promises that are not handed over, and the reasons.
    package private(set) var dropped: [Promise: String] = [:]
    private let byteLimit: UInt64
    private var waiting: [Promise] = []
    /// The promises whose bytes are being made, and the number of bytes that there are.
    private var running: [Promise: UInt64] = [:]
    private var room: UInt64 = 0

    /// - Parameter deadline: the time at which the rest is dropped (see `MonotonicClock`).
    package init(_ promises: [Promise], byteLimit: UInt64 = HandOver.byteLimit, deadline: UInt64) {
        self.promises = promises
        self.byteLimit = byteLimit
        self.deadline = deadline
    }

    /// Begins at a broker, also at the next one after a loss: what that one does not keep is made again.
    ///
    /// - Parameter kept: the promises whose bytes the broker has already.
    package mutating func begin(keeping kept: Set<Promise>) {
        self.kept = kept.intersection(promises)
        for promise in kept { dropped[promise] = nil }
        waiting = promises.reversed().filter { !kept.contains($0) && dropped[$0] == nil }
        running = [:]
        room = byteLimit
    }

    package mutating func next(at now: UInt64) -> Step {
        if now >= deadline { dropRest("did not end in time") }
        if running.count < Self.atOnce, let promise = waiting.popLast() {
            running[promise] = 0
            return .make(promise)
        }
        return running.isEmpty ? .over : .wait
    }

    /// Acquires room for more bytes of a promise.
    ///
    /// - Returns: false if they exceed what the others have left of the limit. The caller then drops the promise.
    package mutating func acquire(_ count: UInt64, of promise: Promise) -> Bool {
        guard let taken = running[promise], count <= room else { return false }
        running[promise] = taken + count
        room -= count
        return true
    }

    /// The broker has confirmed that it has the bytes of a promise.
    package mutating func keep(_ promise: Promise) {
        if running.removeValue(forKey: promise) != nil { kept.insert(promise) }
    }

    package mutating func drop(_ promise: Promise, _ reason: String) {
        guard let taken = running.removeValue(forKey: promise) else { return }
        room += taken
        dropped[promise] = reason
    }

    /// Drops all promises whose bytes the broker does not have.
    package mutating func dropRest(_ reason: String) {
        for promise in promises where !kept.contains(promise) && dropped[promise] == nil { dropped[promise] = reason }
        (waiting, running) = ([], [:])
    }

    /// The promises whose bytes the broker has, by its list of the contents.
    ///
    /// - Parameter types: the types of the contents, by item and representation.
    package static func kept(of types: [[String]], in listed: [Item]) -> Set<Promise> {
        var kept: Set<Promise> = []
        for (item, (types, listed)) in zip(types, listed).enumerated() {
            for (representation, type) in types.enumerated()
            where listed.representations.contains(where: { $0.type == type && $0.provision == .kept }) {
                kept.insert(Promise(item: item, representation: representation))
            }
        }
        return kept
    }

    /// The addition that replaces a promise with its bytes.
    ///
    /// - Parameter handle: that of the contents at the broker.
    package static func addition(to handle: UInt64?) -> Write {
        var write = Write()
        write.handle = handle
        write.keepsPromises = true
        write.requires = [Feature.additions.rawValue, Feature.handOver.rawValue]
        return write
    }
}
