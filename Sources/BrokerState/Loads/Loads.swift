import PasteboardWire

/// The loads: each has a source, a receiver, credit and deadlines; each ends exactly once.
///
/// Kept bytes and the contents that loads hold belong to `ContentStore`, which is passed to the methods in a ``World``.
/// The rules select a `LoadFailure`; the text of the error is created when the load ends. Events for other
/// parts are put into a queue.
struct Loads: ~Copyable, Sendable {
    typealias Slot = SlotTable<ActiveLoad>.Slot
    typealias PeerSlot = SlotTable<PeerLoads>.Slot

    var loadTable = SlotTable<ActiveLoad>()
    /// By peer.
    var peerLoadsTable = SlotTable<PeerLoads>()
    var cachedLoads: [KeptID: CachedLoad] = [:]
    /// Loads of kept contents that have bytes to send and credit to send them.
    var readyLoads: [LoadID] = []
    /// Cached loads whose readers are to be woken.
    var readyCaches: [KeptID] = []
    /// The number of loads for which a descriptor may arrive or is in transfer.
    var expectedDescriptors: UInt64 = 0
    private var events: [LoadEvent] = []
    private var firstEvent = 0

    var isEmpty: Bool { loadTable.isEmpty }

    /// The peers with a load, as its destination or its source.
    var peers: Set<PeerID> {
        var peers: Set<PeerID> = []
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) {
            if case .destination(let destination, _) = loadTable[slot].receiver { peers.insert(destination) }
            if case .peer(let source) = loadTable[slot].source { peers.insert(source) }
        }
        return peers
    }

    var count: Int { loadTable.count }

    // MARK: Peers

    @inline(__always)
    func peerLoads(of peer: PeerID) -> PeerSlot? {
        peerLoadsTable.find(SlotTable<PeerLoads>.ID(slot: peer.slot, generation: peer.generation))
    }

    /// The loads of the peer that is a load's source; nil for the broker itself.
    @inline(__always)
    func source(of slot: Slot) -> PeerSlot? {
        guard case .peer(let peer) = loadTable[slot].source else { return nil }
        return peerLoads(of: peer)
    }

    /// The loads of the peer that is a load's destination; nil for a request of a cached load.
    @inline(__always)
    func destination(of slot: Slot) -> PeerSlot? {
        guard case .destination(let peer, _) = loadTable[slot].receiver else { return nil }
        return peerLoads(of: peer)
    }

    mutating func connected(_ peer: PeerID, _ process: ProcessKey, _ context: borrowing BrokerContext) {
        let most = Int(clamping: context.limits.asksPerSource)
        peerLoadsTable.insert(
            PeerLoads(process: process, name: process.name(label: ""), places: Places(most)),
            at: SlotTable<PeerLoads>.ID(slot: peer.slot, generation: peer.generation)
        )
    }

    /// A peer has sent hello.
    ///
    /// - Parameter maximumStreams: the number of asks that it accepts at once as a source.
    mutating func greeted(
        _ peer: PeerID,
        name: String,
        maximumStreams: UInt32?,
        passesDescriptors: Bool,
        _ context: borrowing BrokerContext
    ) {
        guard let slot = peerLoads(of: peer) else { return }
        peerLoadsTable[slot].name = name
        peerLoadsTable[slot].passesDescriptors = passesDescriptors
        guard let maximumStreams else { return }
        let most = max(1, min(UInt64(maximumStreams), context.limits.asksPerSource))
        peerLoadsTable[slot].places.setLimit(Int(clamping: most))
    }

    /// Loads from and to a peer are sent inline from now on.
    mutating func endDescriptors(_ peer: PeerID) {
        guard let slot = peerLoads(of: peer) else { return }
        peerLoadsTable[slot].passesDescriptors = false
    }

    mutating func disconnected(_ peer: PeerID) {
        guard let slot = peerLoads(of: peer) else { return }
        peerLoadsTable.remove(slot)
    }

    // MARK: Finding

    /// The load that a peer opened with a stream and that is not over.
    func load(on stream: UInt64, of peer: PeerID) -> Slot? {
        guard StreamID(stream).isOpenedByClient, let peerLoads = peerLoads(of: peer) else { return nil }
        var next = peerLoadsTable[peerLoads].newest
        while let slot = loadTable.find(next) {
            if case .destination(_, stream) = loadTable[slot].receiver { return slot }
            next = loadTable[slot].older
        }
        return nil
    }

    /// The load that a peer is asked for on a stream; nil if it is over, so that the frame is merely late. Throws if
    /// the peer was never asked on that stream.
    @inline(__always)
    func ask(on stream: UInt64, of peer: PeerID) throws(Failure) -> Slot? {
        guard let slot = loadTable.find(LoadID(askStream: stream)), !loadTable[slot].phase.isDelivering else {
            guard StreamID(stream).isOpenedByBroker, loadTable.hasIssued(LoadID(askStream: stream)) else {
                throw Failure(.protocolViolation, "stream \(stream) was never opened")
            }
            return nil
        }
        guard case .peer(peer) = loadTable[slot].source, !loadTable[slot].phase.isQueued else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        return slot
    }

    /// The name of a load's source, for messages.
    func sourceName(of slot: Slot) -> String {
        source(of: slot).map { "source \(peerLoadsTable[$0].name)" } ?? "the broker"
    }

    /// The latest time at which a load of a publication began or a byte of it moved.
    func lastFlow(of publication: PublicationID) -> UInt64? {
        var last: UInt64?
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) {
            guard loadTable[slot].publication == publication else { continue }
            last = max(last ?? 0, loadTable[slot].startedAt, loadTable[slot].byteAt, loadTable[slot].takenAt)
        }
        return last
    }

    // MARK: Events

    mutating func report(_ event: LoadEvent) {
        events.append(event)
    }

    var hasEvents: Bool {
        @inline(__always) get { !events.isEmpty }
    }

    /// The next event for another part. Handling it may add new ones.
    mutating func nextEvent() -> LoadEvent? {
        guard firstEvent < events.count else {
            events.removeAll(keepingCapacity: true)
            firstEvent = 0
            return nil
        }
        firstEvent += 1
        return events[firstEvent - 1]
    }
}
