import BrokerState
import PasteboardWire

/// A source and a destination in two processes, and one session with one item, brought into the state that a test
/// needs.
struct DragScene {
    static let two = [Item("public.text"), Item("public.png")]

    var broker: StateHarness
    let source: PeerID
    let destination: PeerID
    /// The stream of the destination's registration.
    let shelf: UInt64
    private(set) var drag: UInt64 = 0
    private(set) var handle: UInt64 = 0
    /// The stream of the destination session. Before there is one, a stream that was never opened.
    private(set) var destinationStream: UInt64 = 1 << 32 | 1 << 31
    /// The sequence of the last enter or update that the destination was sent.
    private(set) var sequence: UInt64 = 0
    /// The stream of the source's ask. Before there is one, a stream that was never opened.
    private(set) var ask: UInt64 = 1 << 32

    init(
        sameProcess: Bool = false,
        descriptors: Bool = false,
        dropReports: Bool = false,
        _ configure: (inout BrokerLimits) -> Void = { _ in },
        _ describe: (inout Destination) -> Void = { _ in }
    ) {
        self.broker = StateHarness(configure)
        self.source = self.broker.connect("source", process: 1, descriptors: descriptors)
        let process: UInt32 = sameProcess ? 1 : 2
        self.destination = self.broker.connect(
            "destination",
            process: process,
            descriptors: descriptors,
            dropReports: dropReports
        )
        self.shelf = self.broker.register(from: self.destination, describe)
        _ = self.broker.take(self.destination)
    }

    // MARK: The source

    mutating func write(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        var drag = Drag()
        configure(&drag)
        self.drag = self.broker.newStream(of: self.source)
        self.broker.send(drag, on: self.drag, from: self.source)
        for item in items { self.broker.send(item, on: self.drag, from: self.source) }
    }

    mutating func offer(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        self.write(items, configure)
        self.broker.commit(items.count, on: self.drag, from: self.source)
        self.handle = self.framesToSource().first(Committed.self)?.handle ?? 0
    }

    mutating func begin(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        self.offer(items, configure)
        self.broker.send(Begin(), on: self.drag, from: self.source)
    }

    mutating func move(to name: String? = "shelf", row: UInt32? = nil, sequence: UInt64 = 1) {
        self.broker.move(self.drag, to: name, row: row, sequence: sequence, from: self.source)
    }

    mutating func drop() { self.broker.send(Drop(), on: self.drag, from: self.source) }

    /// Adds items, and returns the stream of the addition.
    @discardableResult
    mutating func add(_ items: [Item] = [Item("public.text")]) -> UInt64 {
        self.broker.offer(items, from: self.source) { [handle = self.handle] in $0.handle = handle }
    }

    mutating func give(_ bytes: [UInt8] = [1, 2, 3], last: Bool = true) {
        self.broker.data(bytes, last: last, on: self.ask, from: self.source)
    }

    mutating func framesToSource() -> [Frame] {
        let frames = self.broker.take(self.source)
        if let ask = frames.first(where: { $0.kind == .ask })?.stream { self.ask = ask }
        return frames
    }

    /// The result of the drop on the source's stream.
    mutating func result() -> (transferred: Transferred?, kinds: [FrameKind]) {
        let frames = self.framesToSource().on(self.drag)
        return (frames.first(Transferred.self), frames.kinds)
    }

    // MARK: The destination

    mutating func framesToDestination() -> [Frame] {
        let frames = self.broker.take(self.destination)
        for frame in frames {
            switch frame.kind {
            case .session: self.destinationStream = frame.stream
            case .enter: self.sequence = frame.decode(Enter.self).sequence ?? 0
            case .update: self.sequence = frame.decode(Update.self).sequence ?? 0
            default: break
            }
        }
        return frames
    }

    /// Answers the last enter or update.
    mutating func propose(_ operation: DropOperation, _ configure: (inout Proposal) -> Void = { _ in }) {
        self.broker.propose(operation, to: self.sequence, on: self.destinationStream, from: self.destination, configure)
    }

    @discardableResult
    mutating func load(_ item: UInt32 = 0, _ configure: (inout Load) -> Void = { _ in }) -> UInt64 {
        let load = self.broker.load(from: self.destination) { [handle = self.handle] in
            $0.handle = handle
            $0.item = item
            configure(&$0)
        }
        return load
    }

    mutating func report(_ completed: UInt64?) {
        var progress = Progress()
        progress.completed = completed
        self.broker.send(progress, on: self.destinationStream, from: self.destination)
    }

    mutating func performed(_ items: [UInt32] = [], _ failure: Failure? = nil) {
        var performed = Performed()
        performed.items = items
        performed.failure = failure
        self.broker.send(performed, on: self.destinationStream, from: self.destination)
    }

    mutating func conclude(_ items: [UInt32] = [], _ failure: Failure? = nil) {
        var conclude = Conclude()
        conclude.items = items
        conclude.failure = failure
        self.broker.send(conclude, on: self.destinationStream, from: self.destination)
    }

    // MARK: Source and destination

    /// Moves the session over the destination, which proposes the operation.
    mutating func track(_ operation: DropOperation) {
        self.move()
        _ = self.framesToDestination()
        self.propose(operation)
        _ = self.framesToSource()
    }

    /// Begins a session that allows a move, moves it over the destination and drops it.
    mutating func dropped(_ operation: DropOperation, _ items: [Item] = [Item("public.text")]) {
        self.begin(items) { $0.movesBetweenProcesses = true }
        self.track(operation)
        self.drop()
        self.forget()
    }

    /// Loads an item completely.
    mutating func fetch(_ item: UInt32 = 0) {
        self.load(item)
        _ = self.framesToSource()
        self.give()
    }

    mutating func forget() {
        _ = self.framesToSource()
        _ = self.framesToDestination()
    }

    mutating func everybodyLeaves() {
        self.broker.disconnect(self.source)
        self.broker.disconnect(self.destination)
    }
}
