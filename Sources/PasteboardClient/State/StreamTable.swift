import PasteboardWire

/// The open streams of one connection by their number.
///
/// Numbers are assigned in sequence, so their low bits spread them over the table without a hash function, and a table
/// of plain values needs no allocation for a stream. After a collision an entry takes the next free index; a removal
/// closes the gap. The table never has more entries than streams that this client allows, so a peer that chooses
/// unfavourable numbers slows it down little.
struct StreamTable<Value: StreamRecord>: Sendable {
    /// Valid at the indices that `index(of:)` returns. Records at other indices have stream 0.
    var values: [Value]
    private let empty: Value
    private(set) var count = 0
    /// The number of entries that are not at the index of their low bits. It is usually 0, and then no gap has to be
    /// closed.
    private var displaced = 0

    init(empty: Value) {
        self.empty = empty
        values = Array(repeating: empty, count: 16)
    }

    /// The numbers of all streams, in ascending order.
    var openIDs: [UInt64] { values.map(\.stream).filter { $0 != 0 }.sorted() }

    @inline(__always)
    func index(of id: UInt64) -> Int? {
        guard id != 0, count > 0 else { return nil }
        var index = home(of: id)
        while values[index].stream != id {
            if values[index].stream == 0 { return nil }
            index = next(index)
        }
        return index
    }

    /// Inserts the record of a stream that is not in the table.
    @inline(__always)
    mutating func insert(_ value: Value) {
        if 2 * count >= values.count { grow() }
        let home = self.home(of: value.stream)
        var index = home
        while values[index].stream != 0 { index = next(index) }
        if index != home { displaced += 1 }
        values[index] = value
        count += 1
    }

    @inline(__always)
    mutating func remove(at index: Int) {
        count -= 1
        if displaced > 0 { return close(index) }
        values[index].stream = 0
    }

    /// Removes the entry at the index, and moves entries after it that belong nearer to their home.
    @inline(never)
    private mutating func close(_ index: Int) {
        var gap = index
        if home(of: values[index].stream) != index { displaced -= 1 }
        var candidate = next(gap)
        while displaced > 0, values[candidate].stream != 0 {
            // An entry after the gap may move into it, unless its home index is between the two.
            let home = self.home(of: values[candidate].stream)
            if distance(from: home, to: candidate) >= distance(from: gap, to: candidate) {
                if gap == home { displaced -= 1 }
                values[gap] = values[candidate]
                gap = candidate
            }
            candidate = next(candidate)
        }
        values[gap].stream = 0
    }

    private func home(of id: UInt64) -> Int {
        Int(truncatingIfNeeded: id >> 1) & (values.count &- 1)
    }

    private func next(_ index: Int) -> Int { (index &+ 1) & (values.count &- 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end &- start) & (values.count &- 1) }

    @inline(never)
    private mutating func grow() {
        let old = values.filter { $0.stream != 0 }
        values = Array(repeating: empty, count: 2 * values.count)
        count = 0
        displaced = 0
        for value in old { insert(value) }
    }
}

/// The record of an open stream in a table.
protocol StreamRecord: Sendable {
    /// The number of the stream; 0 if the record is free. Stream 0 is the connection and never in a table.
    var stream: UInt64 { get set }
}

/// A stream that this client has opened and that has not ended.
struct OpenStream: StreamRecord {
    enum Phase: Sendable {
        case load
        /// Items and kept bytes are being sent.
        case write(isAddition: Bool)
        /// Commit has been sent.
        case committing
        /// Committed. The publication exists as long as the stream.
        case publication
        case list
        /// The contents and this number of items were received.
        case listing(items: Int)
        case clear
        /// `committed` was received; only the end follows.
        case changed
        /// The entries that were received take about this many bytes.
        case status(memory: Int)
        case stop
        /// Items of a new drag session, or of an addition to one, are being sent.
        case drag(isAddition: Bool)
        /// Commit has been sent.
        case offering
        /// Commit of an addition, to a session or to contents, has been sent.
        case adding
        /// Committed. The session exists as long as the stream.
        case session
        case destination
        case watch
        case createBoard
        /// Sent only to find out whether the broker still answers; it causes no events.
        case probe
    }

    var stream: UInt64
    var phase: Phase
    /// Whether no answer is pending on the stream, as for a publication or a destination.
    var isStanding = false
    /// The number by which the program knows the stream. A load that had to wait has another number on the wire.
    var programStream: UInt64

    // Fields of a load.
    var isAnswered = false
    var descriptorWelcome = false
    /// The driver's number for the request of any stream; see `ClientState.owner`.
    var owner: UInt32
    var received: UInt64 = 0
    var consumed: UInt64 = 0
    /// The offset up to which the broker may send.
    var granted: UInt64 = 0
    /// The largest distance between `granted` and the number of consumed bytes.
    var window: UInt64 = 0
    var maximum = UInt64.max
    var declared: UInt64?

    /// Whether a write has sent kept bytes.
    var hasSentBytes = false

    // Fields of a drag session.
    /// Whether the drop was sent.
    var isDropped = false
    /// The operation of the drop, after the broker has reported it.
    var operation: DropOperation?
    var isTransferred = false

    /// - Parameter stream: the number of the stream, on the wire and for the program.
    @inline(__always)
    init(_ phase: Phase, on stream: UInt64, owner: UInt32 = 0) {
        self.stream = stream
        self.phase = phase
        self.owner = owner
        programStream = stream
    }

    /// A load.
    @inline(__always)
    init(on stream: UInt64, owner: UInt32, credit: UInt64, maximum: UInt64?, descriptorWelcome: Bool) {
        self.init(.load, on: stream, owner: owner)
        granted = credit
        window = credit
        self.maximum = maximum ?? .max
        self.descriptorWelcome = descriptorWelcome
    }

    /// Records the answer to a load.
    mutating func answered(_ answer: AnswerFields) {
        isAnswered = true
        declared = answer.byteCount
    }

    /// Counts bytes of a load that have arrived.
    @inline(__always)
    mutating func receive(_ count: Int) throws(Failure) {
        guard case .load = phase, isAnswered else { throw violation }
        received = received.addingClamped(UInt64(count))
        guard received <= granted, received <= maximum, received <= declared ?? .max else { throw violation }
    }

    /// The reason why bytes were not allowed.
    private var violation: Failure {
        guard case .load = phase, isAnswered else { return .violation("bytes on stream \(stream) before an answer") }
        guard received <= granted else { return .violation("\(received) bytes with credit for \(granted)") }
        return .violation("\(received) bytes, more than were allowed or announced")
    }
}

/// A stream that the broker has opened to ask for bytes that this client promised.
struct OpenAsk: StreamRecord {
    var stream: UInt64 = 0
    var credit: UInt64 = 0
    var sent: UInt64 = 0
    var descriptorWelcome = false
    var inPlaceWelcome = false
    var owner: UInt32 = 0

    init() {}

    @inline(__always)
    init(_ ask: AskFields, on stream: UInt64) {
        self.stream = stream
        credit = ask.credit
        descriptorWelcome = ask.descriptorWelcome
        inPlaceWelcome = ask.inPlaceWelcome
    }

    /// The number of bytes that may be sent now.
    var sendable: Int { Int(clamping: credit - min(credit, sent)) }
}

/// A stream that the broker has opened for a drag session at a destination of this client.
struct OpenDestinationSession: StreamRecord {
    var stream: UInt64 = 0
    /// The handle of the publication with the items.
    var handle: UInt64 = 0
    /// The message to send once no load of the session waits for its turn.
    var performed: Performed?
    var items = 0
    var isDropped = false
    var owner: UInt32 = 0
}
