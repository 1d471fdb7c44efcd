import BrokerModel
import BrokerState
import PasteboardWire

/// A source and a destination in two processes, and one session with one item, brought into the state that a test
/// needs.
struct DragScene {
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

    init(descriptors: Bool = false, dropReports: Bool = false, _ describe: (inout Destination) -> Void = { _ in }) {
        broker = StateHarness()
        source = broker.connect("source", process: 1, descriptors: descriptors)
        destination = broker.connect("destination", process: 2, descriptors: descriptors, dropReports: dropReports)
        shelf = broker.register(from: destination, describe)
        _ = broker.take(destination)
    }

    // MARK: The source

    mutating func write(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        var drag = Drag()
        configure(&drag)
        self.drag = broker.newStream(of: source)
        broker.send(drag, on: self.drag, from: source)
        for item in items { broker.send(item, on: self.drag, from: source) }
    }

    mutating func offer(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        write(items, configure)
        broker.commit(items.count, on: drag, from: source)
        handle = framesToSource().first(Committed.self)?.handle ?? 0
    }

    mutating func begin(_ items: [Item] = [Item("public.text")], _ configure: (inout Drag) -> Void = { _ in }) {
        offer(items, configure)
        broker.send(Begin(), on: drag, from: source)
    }

    mutating func move(to name: String? = "shelf") { broker.move(drag, to: name, from: source) }

    mutating func drop() { broker.send(Drop(), on: drag, from: source) }

    /// Adds an item.
    mutating func add() { broker.offer(from: source) { [handle = self.handle] in $0.handle = handle } }

    mutating func give(last: Bool = true) { broker.data([1, 2, 3], last: last, on: ask, from: source) }

    mutating func framesToSource() -> [Frame] {
        let frames = broker.take(source)
        if let ask = frames.first(where: { $0.kind == .ask })?.stream { self.ask = ask }
        return frames
    }

    /// The result of the drop on the source's stream.
    mutating func result() -> (transferred: Transferred?, kinds: [FrameKind]) {
        let frames = framesToSource().on(drag)
        return (frames.first(Transferred.self), frames.kinds)
    }

    // MARK: The destination

    mutating func framesToDestination() -> [Frame] {
        let frames = broker.take(destination)
        for frame in frames {
            switch frame.kind {
            case .session: destinationStream = frame.stream
            case .enter: sequence = frame.decode(Enter.self).sequence ?? 0
            case .update: sequence = frame.decode(Update.self).sequence ?? 0
            default: break
            }
        }
        return frames
    }

    /// Answers the last enter or update.
    mutating func propose(_ operation: DropOperation, _ configure: (inout Proposal) -> Void = { _ in }) {
        broker.propose(operation, to: sequence, on: destinationStream, from: destination, configure)
    }

    @discardableResult
    mutating func load(_ configure: (inout Load) -> Void = { _ in }) -> UInt64 {
        broker.load(from: destination) { [handle = self.handle] in
            $0.handle = handle
            configure(&$0)
        }
    }

    mutating func performed(_ items: [UInt32] = [], _ failure: Failure? = nil) {
        var performed = Performed()
        performed.items = items
        performed.failure = failure
        broker.send(performed, on: destinationStream, from: destination)
    }

    mutating func conclude(_ items: [UInt32] = [], _ failure: Failure? = nil) {
        var conclude = Conclude()
        conclude.items = items
        conclude.failure = failure
        broker.send(conclude, on: destinationStream, from: destination)
    }

    // MARK: Source and destination

    /// Moves the session over the destination, which proposes the operation.
    mutating func track(_ operation: DropOperation) {
        move()
        _ = framesToDestination()
        propose(operation)
        _ = framesToSource()
    }

    /// Begins a session that allows a move, moves it over the destination and drops it.
    mutating func dropped(_ operation: DropOperation) {
        begin { $0.movesBetweenProcesses = true }
        track(operation)
        drop()
        forget()
    }

    mutating func forget() {
        _ = framesToSource()
        _ = framesToDestination()
    }

    mutating func everybodyLeaves() {
        broker.disconnect(source)
        broker.disconnect(destination)
    }
}
