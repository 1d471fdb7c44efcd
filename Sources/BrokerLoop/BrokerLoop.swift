package import BrokerState
package import PasteboardTransport
import PasteboardWire

/// The broker's one thread: waits for sockets, feeds what they bring to the state, and performs what it decides.
///
/// A turn takes all that is ready, a bounded piece of each connection, and then writes once to every connection that
/// got something. Bytes of a load are moved from the memory they were read into to the destination's socket; only what
/// the socket does not take at once is stored. Nothing here waits for a peer or calls anybody's code.
package struct BrokerLoop: ~Copyable {
    /// Payloads of this size go straight to a socket that nothing waits for; smaller ones share one write.
    private static let directSendSize = 16 << 10
    /// Events whose token is below this are the loop's own; above are peers, whose generation is at least 1.
    private static let firstPeerToken = UInt64(1) << 32
    private static let timerToken = firstPeerToken - 1

    var state: BrokerState
    let epoll: Epoll
    private let timer: TimerDescriptor
    /// Milliseconds of `now`.
    private var timerSetTo = UInt64.max
    private var events = EpollEvents()
    /// Away while what is in it is read.
    var input: ReadBuffer? = ReadBuffer()
    var connections: [Connection?] = []
    /// By id: a connection that has been closed meanwhile must not keep its descriptor open.
    private var dirty: [PeerID] = []
    /// Those of them that are being flushed.
    private var flushed: [PeerID] = []
    /// Those that the next turn goes on with, whatever epoll says: see `read`.
    var unfinished: [PeerID] = []
    /// Those of them that are being gone on with.
    var resumed: [PeerID] = []
    private var deliveries: [Delivery] = []
    var memory: KeptMemory
    let closer: DescriptorCloser
    /// What came with the frame that is being taken.
    var received: DescriptorBox?
    /// Memory for the outbox that the state fills while the other one is performed.
    private var spareOutbox = Outbox()
    private let controlLimit: Int
    private var isDone = false
    /// Whether this turn has one event.
    private(set) var isAlone = false
    let log: @Sendable (String) -> Void
    private var peerLog = PeerLog()

    /// What is waited for besides connections, by its token. A door that was removed leaves its place empty.
    private var doors: [(any Door)?] = []
    /// Doors that are not watched until a time.
    private var paused: [(door: Int, until: UInt64)] = []

    package init(state: consuming BrokerState, log: @escaping @Sendable (String) -> Void) throws(SystemError) {
        let epoll = try Epoll()
        let timer = try TimerDescriptor()
        try epoll.add(timer.raw, .readable, token: Self.timerToken)
        let closer = DescriptorCloser()
        self.controlLimit = Int(clamping: state.limits.controlQueue)
        self.state = state
        self.log = log
        self.epoll = epoll
        self.timer = timer
        self.closer = closer
        self.memory = KeptMemory(closer: closer)
    }

    /// Runs until the broker was told to stop and has drained.
    package mutating func run() throws(SystemError) {
        while !self.isDone { try self.turn(waiting: true) }
    }

    /// One turn. Without waiting, only what is ready now is taken: tests step through it.
    package mutating func turn(waiting: Bool) throws(SystemError) {
        try self.armTimer()
        // What a turn left to be written or processed is the next one's, which must not wait then.
        let isIdle = self.dirty.isEmpty && self.unfinished.isEmpty && !self.state.hasReadyKept
        try self.epoll.wait(into: &self.events, milliseconds: waiting && isIdle ? nil : 0)
        self.state.advance(to: Self.now())
        self.perform()
        if !self.paused.isEmpty { self.resumePaused() }
        if self.state.unclosedDescriptors > 0 { self.countUnclosed() }
        // Then nothing else can come for the same target in this turn, and what comes last need not wait for more.
        self.isAlone = self.events.count == 1 && self.unfinished.isEmpty
        for index in 0..<self.events.count {
            let event = self.events[index]
            if event.token == Self.timerToken {
                self.timer.drain()
                self.timerSetTo = .max
            } else if event.token < Self.firstPeerToken {
                self.open(Int(event.token))
            } else if let connection = self.connection(PeerID(rawValue: event.token)) {
                if event.isWritable { self.markDirty(connection) }
                if event.isReadable, !connection.isHeldUp { self.read(connection) }
            }
        }
        self.readUnfinished()
        self.settle()
        if self.state.isDrained {
            self.state.endDraining()
            self.perform()
            self.isDone = true
        }
    }

    private static func now() -> UInt64 { MonotonicClock.now() / 1_000_000 }

    /// Sets the timer if something is due before the time that it is set to. One that goes off early does no harm.
    private mutating func armTimer() throws(SystemError) {
        let next = self.paused.reduce(self.state.nextCheck) { min($0, $1.until) }
        guard next < self.timerSetTo else { return }
        self.timerSetTo = next
        let (nanoseconds, isBeyond) = next.multipliedReportingOverflow(by: 1_000_000)
        try self.timer.set(to: isBeyond ? .max : nanoseconds)
    }

    // MARK: Doors

    /// Adds something to wait for besides connections: a listening socket, signals, a request to stop.
    package mutating func add(_ door: some Door) throws(SystemError) {
        try self.epoll.add(door.descriptor, .readable, token: UInt64(self.doors.count))
        self.doors.append(door)
    }

    mutating func remove(_ door: some Door) {
        guard let index = self.doors.firstIndex(where: { $0 === door }) else { return }
        if !self.paused.contains(where: { $0.door == index }) { try? self.epoll.remove(door.descriptor) }
        self.paused.removeAll { $0.door == index }
        self.doors[index] = nil
    }

    /// Watching it now would only spin.
    mutating func pause(_ door: some Door, milliseconds: UInt64) {
        guard let index = self.doors.firstIndex(where: { $0 === door }) else { return }
        try? self.epoll.remove(door.descriptor)
        self.paused.append((index, Self.now() + milliseconds))
    }

    private mutating func resumePaused() {
        let due = self.paused.filter { $0.until <= Self.now() }
        guard !due.isEmpty else { return }
        self.paused.removeAll { $0.until <= Self.now() }
        for (index, _) in due {
            guard let door = self.doors[index] else { continue }
            try? self.epoll.add(door.descriptor, .readable, token: UInt64(index))
        }
    }

    private mutating func open(_ index: Int) {
        guard index < self.doors.count, let door = self.doors[index] else { return }
        door.opened(in: &self)
        self.perform()
    }

    // MARK: Stopping

    package var isDraining: Bool { self.state.isDraining }

    /// The first time the broker drains, the second time it ends at once.
    package mutating func stop() {
        if self.state.isDraining { self.state.endDraining() } else { self.state.drain() }
        self.perform()
    }

    // MARK: Connections

    /// Takes a connected socket in.
    package mutating func adopt(_ descriptor: consuming OwnedDescriptor, of process: ProcessKey) {
        let peer = self.state.connected(process)
        let connection = Connection(descriptor, peer: peer, closer: self.closer)
        let slot = Int(peer.slot)
        while self.connections.count <= slot { self.connections.append(nil) }
        do {
            try self.epoll.add(connection.descriptor.raw, .readable, token: peer.rawValue)
            self.connections[slot] = connection
        } catch {
            self.report(PeerRemoval(.refused, process: process.pid, Failure(.limitExceeded, "\(error)")))
            self.state.disconnected(peer)
        }
        self.perform()
    }

    func connection(_ peer: PeerID) -> Connection? {
        guard Int(peer.slot) < self.connections.count else { return nil }
        let connection = self.connections[Int(peer.slot)]
        return connection?.peer == peer ? connection : nil
    }

    /// The state has forgotten it: what is queued goes out as far as the socket takes it.
    private mutating func close(_ peer: PeerID) {
        guard let connection = self.connection(peer) else { return }
        self.connections[Int(peer.slot)] = nil
        if !connection.isWriteClosed {
            while case .refused? = try? connection.output.flush(
                to: connection.descriptor.raw,
                delivered: &self.deliveries
            ) {}
        }
        // Removed before it is closed: while a duplicate lives, the kernel would go on reporting it.
        try? self.epoll.remove(connection.descriptor.raw)
    }

    mutating func gone(_ connection: Connection) {
        self.state.disconnected(connection.peer)
        self.close(connection.peer)
        self.perform()
    }

    // MARK: Moving bytes

    /// What the bytes of a load become on their way to its destination.
    struct OutgoingData {
        let stream: UInt64
        let route: RouteID
        let frameLength: Int
        let last: Bool
    }

    /// - Parameter isAtOnce: nothing more comes for the target now, so that there is nothing to share a write with.
    mutating func forward(_ payload: Span<UInt8>, as data: OutgoingData, to target: Connection, atOnce isAtOnce: Bool) {
        guard !target.isWriteClosed else { return }
        var offset = 0
        repeat {
            let count = min(data.frameLength, payload.count - offset)
            let isLast = data.last && offset + count == payload.count
            let header = FrameHeader(.data, stream: data.stream, length: count, flags: isLast ? .last : .none)
            let bytes = payload.extracting(offset..<offset + count)
            offset += count
            if isAtOnce || count >= Self.directSendSize, target.output.streamCount == 0 {
                self.send(header, bytes, through: target, route: data.route)
            } else {
                target.output.appendStream(header: header, payload: bytes)
                if count > 0 { target.output.mark(Delivery(route: data.route.rawValue, count: count)) }
                self.markDirty(target)
            }
        } while offset < payload.count
    }

    private mutating func send(
        _ header: FrameHeader,
        _ bytes: Span<UInt8>,
        through target: Connection,
        route: RouteID
    ) {
        do {
            let isSent = try target.output.sendThrough(header: header, payload: bytes, to: target.descriptor.raw)
            if isSent {
                self.state.delivered(route, count: bytes.count)
                return self.perform()
            }
            if bytes.count > 0 { target.output.mark(Delivery(route: route.rawValue, count: bytes.count)) }
        } catch {
            target.isWriteClosed = true
        }
        self.markDirty(target)
    }

    /// Whether it could be kept.
    mutating func keep(_ payload: Span<UInt8>, in kept: KeptID) -> Bool {
        do {
            try self.memory.append(payload, to: kept)
            return true
        } catch {
            self.state.keptWriteFailed(kept, reason: error.reason)
            self.perform()
            return false
        }
    }

    /// Puts kept bytes that may go out into the queues of their destinations.
    private mutating func pumpKept() {
        while let chunk = self.state.nextKeptChunk() {
            self.perform()
            guard let target = self.connection(chunk.destination), !target.isWriteClosed else {
                self.state.keptLoadQueued(chunk.route)
                continue
            }
            do throws(SystemError) {
                try self.memory.read(chunk, into: &target.output)
                if chunk.count > 0 {
                    target.output.mark(Delivery(route: chunk.route.rawValue, count: chunk.count))
                }
                if chunk.last { self.state.keptLoadQueued(chunk.route) }
            } catch {
                self.state.keptReadFailed(chunk.route, reason: error.reason)
            }
            self.markDirty(target)
            self.perform()
        }
        // Loads may have ended though there was nothing to send.
        self.perform()
    }

    // MARK: Performing

    /// Does what the state wants done, and empties its outbox.
    mutating func perform() {
        guard !self.state.outbox.isEmpty else { return }
        // Taken out, so that what is performed may bring the state to put new things into its outbox.
        var outbox = Outbox()
        swap(&outbox, &self.spareOutbox)
        self.state.exchangeOutbox(with: &outbox)
        var overfull: [Connection] = []
        for send in outbox.sends {
            guard let target = self.connection(send.peer), !target.isWriteClosed else { continue }
            let frames = outbox.frames.bytes.span.extracting(send.bytes)
            if let passing = send.passing {
                self.pass(frames, passing, to: target)
                continue
            }
            switch send.order {
            case .connection: target.output.appendControl(frames)
            case .stream: target.output.appendStream(frames)
            }
            self.markDirty(target)
            if self.isOverfull(target) { overfull.append(target) }
        }
        for effect in outbox.effects { self.perform(effect) }
        for target in overfull { self.relieve(target) }
        swap(&outbox, &self.spareOutbox)
    }

    /// The answers to its own requests do not count: who does not read them is not read.
    private func isOverfull(_ target: Connection) -> Bool {
        target.output.controlCount - target.answerCount > self.controlLimit
    }

    /// A peer that gets much and reads it is written to early; one that does not read is ended.
    private mutating func relieve(_ target: Connection) {
        guard self.connection(target.peer) != nil else { return }
        _ = try? self.write(target)
        guard self.connection(target.peer) != nil, self.isOverfull(target) else { return }
        let failure = Failure(.limitExceeded, "the connection does not read: limit control-queue is full")
        self.state.violated(target.peer, failure)
        self.perform()
    }

    private mutating func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .log(let removal): self.report(removal)
        case .close(let peer): self.close(peer)
        case .passDescriptors(let peer): self.passDescriptors(peer)
        case .adoptKept(let kept): self.memory.adopt(self.received, for: kept)
        case .sealKept(let kept): self.memory.seal(kept)
        case .closeKept(let kept): self.memory.close(kept)
        case .stopListening:
            for door in self.doors { door?.closes(in: &self) }
        }
    }

    /// Logs a peer that was refused or ended, within the rate limit.
    mutating func report(_ removal: PeerRemoval) {
        if let line = self.peerLog.line(removal.text, process: removal.process, at: Self.now()) { self.log(line) }
    }

    mutating func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        self.dirty.append(connection.peer)
    }

    /// Writes once to every connection that got something; what that frees may bring others something, once more.
    private mutating func settle() {
        for _ in 0..<2 {
            self.pumpKept()
            guard !self.dirty.isEmpty else { return }
            // The two change places, so that neither is ever copied or made anew.
            swap(&self.dirty, &self.flushed)
            for index in self.flushed.indices {
                guard let connection = self.connection(self.flushed[index]) else { continue }
                connection.isDirty = false
                self.flush(connection)
                self.weighOutput(of: connection)
            }
            self.flushed.removeAll(keepingCapacity: true)
            self.reportDeliveries()
        }
    }

    private mutating func reportDeliveries() {
        for delivery in self.deliveries {
            self.state.delivered(RouteID(rawValue: delivery.route), count: delivery.count)
        }
        self.deliveries.removeAll(keepingCapacity: true)
        self.perform()
    }

    mutating func flush(_ connection: Connection) {
        do {
            guard !connection.isWriteClosed else { throw SystemError(call: "send", errno: 0) }
            let outcome = try self.write(connection)
            guard self.connection(connection.peer) != nil else { return }
            connection.answerCount = min(connection.answerCount, connection.output.controlCount)
            if connection.isHeldUp, !connection.isPaused || connection.mayAsk { self.finishLater(connection) }
            // `[]` would be made of an array, on every write.
            var interest = outcome == .blocked ? Epoll.Interest.writable : Epoll.Interest()
            if !connection.isHeldUp || connection.isUnfinished { interest.insert(.readable) }
            guard interest != connection.interest else { return }
            try self.epoll.modify(connection.descriptor.raw, interest, token: connection.peer.rawValue)
            connection.interest = interest
        } catch {
            // It takes nothing more; what it had sent before counts, so that is read first.
            connection.isWriteClosed = true
            self.state.stoppedReading(connection.peer)
            self.finishLater(connection)
        }
    }

    /// Writes what the socket takes. What the system does not want to pass costs its load alone.
    private mutating func write(_ connection: Connection) throws(SystemError) -> FlushOutcome {
        while true {
            let outcome = try connection.output.flush(to: connection.descriptor.raw, delivered: &self.deliveries)
            guard case .refused(let route) = outcome else { return outcome }
            self.state.passingRefused(RouteID(rawValue: route))
            self.perform()
        }
    }
}
