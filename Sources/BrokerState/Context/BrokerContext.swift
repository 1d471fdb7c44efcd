import PasteboardWire

/// The services that all parts of the broker use: the time, the limits, the accounts and the outbox.
///
/// Parts do not call each other and hold no reference to this value: it is passed to each call.
package struct BrokerContext: ~Copyable, Sendable {
    package let limits: BrokerLimits
    /// Names this lifetime of the broker.
    let epoch: UInt64
    /// Milliseconds of a clock that does not jump.
    var now: UInt64 = 0
    /// The time for the expiry of contents, in milliseconds. Unlike `now` it includes suspensions, because a secret
    /// must not stay longer than its writer allowed.
    var elapsed: UInt64 = 0
    /// The milliseconds by which the time since 1970 is ahead of `now`.
    var wallOffset: UInt64 = 0
    /// In milliseconds since 1970.
    var wallTime: UInt64 { now &+ wallOffset }
    /// The time in `elapsed` at which the next contents expire; `max` if none do.
    package internal(set) var nextExpiry = UInt64.max
    /// The time of the next check of the deadlines. No deadline is earlier.
    package internal(set) var nextCheck = UInt64.max
    /// The cost of all inputs in units of ``Cost``.
    package internal(set) var cost = 0
    var accounting: Accounting
    var counters = Counters()
    package internal(set) var outbox = Outbox()
    /// The time until which contents of an earlier broker may come back; 0 if there was none.
    var settlesAt: UInt64 = 0
    /// Whether the driver saves contents, so that a successor of this broker can restore them.
    package internal(set) var saving = Saving.none
    /// The directory in which a client may put kept bytes, and the number of bytes for which it has room; nil if there
    /// is none.
    var keptDirectory: (path: String, device: UInt64, room: UInt64)?
    /// Whether the driver was told that the contents of a board have changed.
    var hasChangedBoards = false
    /// Descriptors that the driver has received and cannot close yet. They count as descriptors in transfer.
    package internal(set) var unclosedDescriptors: UInt64 = 0

    package init(limits: BrokerLimits, epoch: UInt64 = 0) {
        self.limits = limits
        self.epoch = epoch
        accounting = Accounting(limits: limits)
    }

    /// Whether contents outlive the broker.
    package enum Saving: BitwiseCopyable, Sendable {
        /// This broker saves nothing, as one inside another program.
        case none
        /// There is no place for them, which each acknowledgement says.
        case failing
        case working
    }

    // MARK: Deadlines

    /// Makes sure that the deadlines are checked at this time or earlier.
    mutating func check(by deadline: UInt64) {
        nextCheck = min(nextCheck, deadline)
    }

    /// Makes sure that the deadlines are checked after this time or earlier.
    mutating func check(in milliseconds: UInt64) {
        check(by: now.addingClamped(milliseconds))
    }

    /// Makes sure that the contents whose time is over at this time of `elapsed`, or earlier, are cleared then.
    mutating func expire(by time: UInt64) {
        nextExpiry = min(nextExpiry, time)
        checkExpiry()
    }

    /// Makes sure that a check follows when the next contents expire.
    mutating func checkExpiry() {
        if nextExpiry != .max { check(in: nextExpiry - min(nextExpiry, elapsed)) }
    }

    // MARK: Output

    mutating func send(
        _ message: some WireMessage,
        to peer: PeerID,
        stream: UInt64,
        order: FrameOrder = .connection,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) {
        let start = outbox.frames.count
        outbox.send(
            message,
            to: peer,
            stream: stream,
            order: order,
            flags: flags,
            descriptorCount: descriptorCount
        )
        cost += (outbox.frames.count - start) / Cost.metadata
    }

    /// Answers a peer.
    mutating func send(_ message: some WireMessage, on stream: PeerStream) {
        send(message, to: stream.peer, stream: stream.id)
    }

    mutating func perform(_ effect: Outbox.Effect) {
        outbox.perform(effect)
    }

    // MARK: Charges

    @inline(__always)
    mutating func charge(
        _ account: Accounting.AccountID,
        objects: UInt64 = 1,
        metadata: UInt64 = 0,
        for what: String
    ) throws(Failure) -> Charge {
        try accounting.charge(account, Accounting.Amount(objects: objects, metadata: metadata), for: what)
    }

    @inline(__always)
    mutating func release(_ charge: Charge) {
        accounting.release(charge)
    }

    /// Counts the bytes that the driver holds for a connection.
    mutating func queue(_ count: UInt64, insteadOf before: UInt64, for account: Accounting.AccountID) {
        accounting.queue(count, insteadOf: before, for: account)
    }

    /// Throws unless an account may have one more drag session, destination or watch.
    ///
    /// - Parameter most: the limit for one process.
    mutating func checkRoom(
        for account: Accounting.AccountID,
        of resource: Accounting.Resource,
        atMost most: UInt64
    ) throws(Failure) {
        let held = accounting.held(by: account, of: resource)
        guard held >= most || accounting.room(for: account, of: resource) == 0 else { return }
        let (what, name, limit) =
            switch resource {
            case .sessions: ("drag sessions", "sessions", limits.sessions)
            case .watches: ("watches of pasteboards", "watches", limits.watches)
            default: ("destinations", "destinations", limits.destinations)
            }
        throw Failure(
            .limitExceeded,
            "this program has \(held) of \(accounting.total(of: resource)) \(what), and may have no more: limit "
                + "\(name)-per-process is \(most), and of limit \(name)=\(limit) each program may use a share"
        )
    }
}

/// Events since the start of the broker, for `status`.
struct Counters: Sendable {
    var connections: UInt64 = 0
    var violations: UInt64 = 0
    var writes: UInt64 = 0
    var clears: UInt64 = 0
    var sessions: UInt64 = 0
    var drops: UInt64 = 0
    var loads: UInt64 = 0
    var loadsDone: UInt64 = 0
    var loadsFailed: UInt64 = 0
    var relayedBytes: UInt64 = 0
    var keptBytes: UInt64 = 0
    var passedDescriptors: UInt64 = 0
}
