package import PasteboardTransport
package import PasteboardWire

/// A link between the brokers of two machines: what is copied at one end can be pasted at the other.
///
/// It is a client of both. In each direction it watches and lists boards at one broker, and promises the same contents
/// to the other one; an ask of the second broker becomes a load from the first. A load has as much credit as the ask,
/// so what arrives can be sent at once; while much waits for one broker, nothing is read from the other. A broker
/// accepts contents of a link only if they are newer than its own, which ends loops and decides between changes at both
/// ends.
///
/// A link lasts as long as both connections. When it ends, both brokers end what depended on it.
package final class Link {
    package enum Side: Int, CaseIterable, Sendable {
        case near
        case far

        package var other: Side { self == .near ? .far : .near }
    }

    /// The end of a connection.
    package struct Lost: Error {
        package let side: Side
        package let failure: Failure
        package let loss: Loss

        package init(_ side: Side, _ failure: Failure, _ loss: Loss) {
            (self.side, self.failure, self.loss) = (side, failure, loss)
        }
    }

    /// The purpose of a stream of this link.
    private enum Use {
        case watch(Int)
        case list(Int)
        /// A write, a publication, or a clear.
        case write(Int)
        /// The load for an ask of the other broker.
        case load(ask: UInt64)
    }

    /// A board in the direction from `source`.
    private struct Direction {
        let source: Side
        /// Whether contents cross. Otherwise the board is watched only for the opposite direction.
        let isOpen: Bool
        var linked: LinkedBoard
        var watch: WatchOperation
        var watchStream: UInt64 = 0
        var list: ListOperation?
        /// The publication at the destination: its stream and its number there.
        var publication: (stream: UInt64, handle: UInt64)?
    }

    /// The number of publications that have ended for which asks may still arrive.
    private static let endedPublications = 16
    /// The bytes that may wait for a broker while the other one is read. Brokers grant less; one that grants more than
    /// it reads must not fill the memory.
    private static let maximumWaiting = 16 << 20

    private let connections: [LinkConnection]
    /// The time between two reports of loads, in milliseconds: a third of the shortest deadline of the brokers.
    private let reportInterval: Int
    private var directions: [Direction] = []
    private var drags: LinkedDrags?
    private var uses: [[UInt64: Use]] = [[:], [:]]
    /// By the side of the ask: the load at the other broker.
    private var loads: [[UInt64: UInt64]] = [[:], [:]]
    /// By the side of the ask: how much of a load may be on the line. The bytes of the near broker cross none.
    private var windows: [[UInt64: LineWindow]] = [[:], [:]]
    /// By the side that shows them: the source of each publication of this link.
    private var sources: [[UInt64: LinkedBoard.Source]] = [[:], [:]]
    private var ended: [[UInt64]] = [[], []]
    /// The time of the next reports of loads; without a limit if there are none.
    private var reportsAt = UInt64.max
    /// Steps that wait until the events of one connection are handled: a step may need this connection.
    private var steps: [(Int, LinkedBoard.Step)] = []
    private let report: (String) -> Void

    /// Begins a link between two brokers that have answered hello.
    ///
    /// - Parameters:
    ///   - boards: the boards that cross, and for each the sides from which contents go to the other.
    ///   - report: called with a line about contents that a broker has refused.
    package init(
        near: LinkConnection,
        far: LinkConnection,
        boards: [String],
        from sides: [Side] = Side.allCases,
        permits: LinkedBoard.Permits = LinkedBoard.Permits(),
        report: @escaping (String) -> Void = { _ in }
    ) throws(Failure) {
        connections = [near, far]
        let deadlines = connections.compactMap { $0.io.state.welcome }.flatMap {
            [$0.firstByteMilliseconds, $0.progressMilliseconds]
        }
        reportInterval = deadlines.compactMap { $0 }.map { max(10, min(3_000, Int(clamping: $0) / 3)) }.min() ?? 3_000
        self.report = report
        for board in boards {
            for side in Side.allCases {
                let destination = self[side.other].io.state.welcome ?? Welcome()
                let linked = LinkedBoard(board, permits: permits, to: destination)
                var watch = WatchOperation(board, sinceChangeCount: 0, epoch: 0)
                _ = watch.want()
                var direction = Direction(source: side, isOpen: sides.contains(side), linked: linked, watch: watch)
                direction.watchStream = try self[side].io.state.open(direction.watch.open())
                uses[side.rawValue][direction.watchStream] = .watch(directions.count)
                directions.append(direction)
            }
        }
        drags = try LinkedDrags(connections, from: sides, report: report) { [unowned self] handle, source, side in
            if let source { sources[side.rawValue][handle] = source } else { forget(handle, at: side) }
        }
    }

    private subscript(side: Side) -> LinkConnection { connections[side.rawValue] }

    // MARK: The driver

    /// Waits until something happens, also on `extra`, and passes it on.
    ///
    /// - Returns: what is ready on `extra`, in its order.
    package func turn(watching extra: [PollInterest] = []) throws -> [PollInterest.Readiness] {
        for side in Side.allCases { try attempt(side) { (io) throws(Failure) in try io.flush() } }
        let isRead = Side.allCases.map { self[$0.other].io.waitingCount < Self.maximumWaiting }
        // Bytes that are not read may answer a probe. If neither side is read, nothing else would end the link.
        let isChecked = isRead.contains(true) ? isRead : [true, true]
        let checks = Side.allCases.filter { isChecked[$0.rawValue] }.map { self[$0].io.nextCheck }
        let next = checks.reduce(reportsAt, min)
        let interests = zip(connections, isRead).map { connection, isRead in
            var readiness: PollInterest.Readiness = isRead ? .readable : []
            if connection.io.wantsWrite { readiness.insert(.writable) }
            return PollInterest(connection.io.descriptor, readiness)
        }
        let left = next == .max ? nil : Int(MonotonicClock.millisecondsLeft(until: next))
        let ready = try System.poll(interests + extra, milliseconds: left)
        for side in Side.allCases {
            guard isChecked[side.rawValue] else { continue }
            try attempt(side) { (io) throws(Failure) in
                let isReadable = isRead[side.rawValue] && !ready[side.rawValue].subtracting(.writable).isEmpty
                if isReadable {
                    _ = try io.pump { state, event, bytes in self.handle(event, from: side, &state, bytes) }
                }
                // After a failed write, frames that the broker sent before it closed the connection may still come.
                if !isReadable || !io.cannotWrite { try io.check() }
            }
            performSteps()
            drags?.handleEvents()
        }
        if MonotonicClock.now() >= reportsAt { reportLoads() }
        for side in Side.allCases { try attempt(side) { (io) throws(Failure) in try io.flush() } }
        return Array(ready.dropFirst(connections.count))
    }

    private func attempt(_ side: Side, _ body: (inout ConnectionIO) throws(Failure) -> Void) throws(Lost) {
        do {
            try body(&self[side].io)
        } catch {
            throw Lost(side, error, self[side].io.loss ?? .other)
        }
    }

    /// Ends the loads of both brokers that wait for this link, because one connection was lost. What has arrived is
    /// sent on, as far as the other broker takes it within a second.
    package func end(after lost: Lost) {
        let other = self[lost.side.other]
        let failure = Failure(.linkDown, "the link to \(self[lost.side].machine) has ended: \(lost.failure.text)")
        for ask in loads[lost.side.other.rawValue].keys { other.io.state.fail(ask, failure) }
        let deadline = MonotonicClock.deadline(milliseconds: 1_000)
        repeat {
            guard (try? other.io.turn(until: deadline, untilSent: true) { _, _, _ in }) != nil else { break }
        } while other.io.wantsWrite && MonotonicClock.now() < deadline
        other.io.endWriting()
    }

    // MARK: Events

    private func handle(_ event: ClientEvent, from side: Side, _ state: inout ClientState, _ bytes: Span<UInt8>) {
        switch event {
        case .asked(let ask, let fields): load(for: ask, fields, type: fields.type(in: bytes), of: side, &state)
        case .askCredit(let ask):
            if let load = loads[side.rawValue][ask], let credit = state.credit(of: ask) {
                self[side.other].io.state.allow(load, upTo: min(credit, windows[side.rawValue][ask]?.limit ?? .max))
            }
        case .askCancelled(let ask):
            guard let load = loads[side.rawValue].removeValue(forKey: ask) else { return }
            self[side.other].io.state.cancel(load)
            uses[side.other.rawValue][load] = nil
            windows[side.rawValue][ask] = nil
        default:
            switch uses[side.rawValue][event.stream] {
            case .load(let ask): forward(event, bytes, to: ask, of: side.other, &state)
            case .watch(let index): steps += watched(event, index).map { (index, $0) }
            case .list(let index): steps += listed(event, index).map { (index, $0) }
            case .write(let index): steps += written(event, index).map { (index, $0) }
            case nil: drags?.append(event, from: side)
            }
        }
    }

    private func watched(_ event: ClientEvent, _ index: Int) -> [LinkedBoard.Step] {
        guard case .changed(let change) = directions[index].watch.handle(event) else { return [] }
        if change.handle == nil, change.origin == nil { vacated(index) }
        return directions[index].isOpen ? directions[index].linked.changed() : [.watch]
    }

    /// The board is empty at the source of a direction, and nobody has cleared it: the other end may have contents for
    /// it that another link has withdrawn.
    private func vacated(_ index: Int) {
        let (board, source) = (directions[index].linked.name, directions[index].source)
        let opposite = directions.firstIndex { $0.source == source.other && $0.linked.name == board && $0.isOpen }
        if let opposite { steps += directions[opposite].linked.vacated().map { (opposite, $0) } }
    }

    private func listed(_ event: ClientEvent, _ index: Int) -> [LinkedBoard.Step] {
        switch event {
        case .failed(_, let failure):
            refused(failure, index)
            directions[index].list = nil
            uses[directions[index].source.rawValue][event.stream] = nil
            return directions[index].linked.failed()
        default:
            guard case .listed(let listing) = directions[index].list?.handle(event) else { return [] }
            directions[index].list = nil
            uses[directions[index].source.rawValue][event.stream] = nil
            return directions[index].linked.listed(listing)
        }
    }

    private func written(_ event: ClientEvent, _ index: Int) -> [LinkedBoard.Step] {
        let side = directions[index].source.other.rawValue
        switch event {
        case .committed(let stream, let committed):
            let (steps, publication) = directions[index].linked.answered(committed)
            if let (handle, source) = publication, sources[side].updateValue(source, forKey: handle) == nil {
                // The end of the earlier one may still be on its way.
                if let earlier = directions[index].publication {
                    forget(earlier.handle, at: directions[index].source.other)
                }
                directions[index].publication = (stream, handle)
            }
            return steps
        case .ended(let stream, _), .failed(let stream, _):
            uses[side][stream] = nil
            if let publication = directions[index].publication, publication.stream == stream {
                directions[index].publication = nil
                end(publication.handle, index)
                return []
            }
            guard case .failed(_, let failure) = event else { return [] }
            refused(failure, index)
            return directions[index].linked.answered(nil).steps
        default: return []
        }
    }

    private func end(_ handle: UInt64, _ index: Int) {
        directions[index].linked.ended(handle)
        forget(handle, at: directions[index].source.other)
    }

    /// Forgets a publication. Asks of loads that began before its end may still arrive.
    private func forget(_ handle: UInt64, at side: Side) {
        ended[side.rawValue].append(handle)
        guard ended[side.rawValue].count > Self.endedPublications else { return }
        sources[side.rawValue][ended[side.rawValue].removeFirst()] = nil
    }

    private func refused(_ failure: Failure, _ index: Int) {
        // The contents were replaced, or the broker is ending, which its connection reports.
        guard ![.superseded, .brokerRestarted, .brokerStopped].contains(failure.code) else { return }
        let machine = self[directions[index].source.other].machine
        report("the contents of pasteboard \(directions[index].linked.name) are not on \(machine): \(failure.text)")
    }

    // MARK: Steps

    private func performSteps() {
        while !steps.isEmpty {
            let (index, step) = steps.removeFirst()
            do {
                try perform(step, index)
            } catch {
                // The request is too long for a frame, or the connection has ended, which its next turn finds.
                refused(error, index)
                steps += directions[index].linked.answered(nil).steps.map { (index, $0) }
            }
        }
    }

    private func perform(_ step: LinkedBoard.Step, _ index: Int) throws(Failure) {
        let source = directions[index].source
        let (from, to) = (self[source], self[source.other])
        switch step {
        case .watch:
            if directions[index].watch.want() { from.io.state.grantChange(directions[index].watchStream) }
        case .list:
            let list = ListOperation(directions[index].linked.name, settles: false)
            let stream = try list.open(&from.io.state)
            directions[index].list = list
            uses[source.rawValue][stream] = .list(index)
        case .write(let write, let items):
            let stream = try to.io.state.open(write)
            uses[source.other.rawValue][stream] = .write(index)
            do {
                for item in items { try to.io.state.add(item, to: stream) }
            } catch {
                to.io.state.cancel(stream)
                uses[source.other.rawValue][stream] = nil
                throw error
            }
            to.io.state.commit(stream, itemCount: items.count)
        case .clear(let clear):
            uses[source.other.rawValue][try to.io.state.open(clear)] = .write(index)
        case .withdraw:
            guard let publication = exchange(&directions[index].publication, with: nil) else { return }
            to.io.state.cancel(publication.stream)
            uses[source.other.rawValue][publication.stream] = nil
            end(publication.handle, index)
        }
    }

    // MARK: Loads

    /// Opens the load that answers an ask of the end with `state`.
    private func load(
        for ask: UInt64,
        _ fields: AskFields,
        type: String,
        of side: Side,
        _ state: inout ClientState
    ) {
        let item = Int(fields.item)
        guard let source = sources[side.rawValue][fields.handle], source.items.indices.contains(item) else {
            return state.fail(ask, Failure(.superseded, "these contents were replaced on \(self[side.other].machine)"))
        }
        var load = Load()
        load.handle = source.handle
        load.item = source.items[item]
        load.accepts = [Accept(type, match: .exact)]
        let window = side == .near ? LineWindow(at: MonotonicClock.now()) : nil
        load.credit = min(fields.credit, window?.limit ?? .max)
        // Without a timeout of its destination, a load has the deadlines of the source's broker.
        let timeout = fields.firstByteMilliseconds
        if timeout != state.welcome?.firstByteMilliseconds { load.timeoutMilliseconds = timeout.map { max(1, $0) } }
        do {
            let stream = try self[side.other].io.state.open(load)
            uses[side.other.rawValue][stream] = .load(ask: ask)
            loads[side.rawValue][ask] = stream
            windows[side.rawValue][ask] = window
            if reportsAt == .max { reportsAt = MonotonicClock.deadline(milliseconds: reportInterval) }
        } catch {
            state.fail(ask, error)
        }
    }

    /// Extends the deadlines of loads that are under way: the source's broker decides whether one is late.
    private func reportLoads() {
        // Reports that a broker does not read must not fill the memory, either.
        for side in Side.allCases where self[side].io.waitingCount < Self.maximumWaiting {
            for ask in loads[side.rawValue].keys { self[side].io.state.progress(ask, completed: nil, total: nil) }
        }
        let isIdle = loads.allSatisfy(\.isEmpty)
        reportsAt = isIdle ? .max : MonotonicClock.deadline(milliseconds: reportInterval)
    }

    /// Forwards an event of a load to the ask of the other broker.
    private func forward(
        _ event: ClientEvent,
        _ bytes: Span<UInt8>,
        to ask: UInt64,
        of side: Side,
        _ state: inout ClientState
    ) {
        let asking = self[side]
        var isOver = true
        switch event {
        case .answered(_, let fields):
            let answer = Answer(fields, in: bytes)
            asking.io.state.answer(
                ask,
                byteCount: answer.byteCount,
                content: answer.content,
                fileName: answer.suggestedName
            )
            isOver = false
        case .progress(_, let progress):
            asking.io.state.progress(ask, completed: progress.completed, total: progress.total)
            isOver = false
        case .data(_, let payload, let last):
            var rest = bytes.extracting(payload)
            // The socket was found to be lost, or takes everything: the credit of both streams is the same.
            while let count = try? asking.io.send(rest, on: ask, last: last), count < rest.count {
                rest = rest.extracting(count...)
            }
            isOver = last
            windows[side.rawValue][ask]?.receive(payload.count, at: MonotonicClock.now())
            if let window = windows[side.rawValue][ask], let credit = asking.io.state.credit(of: ask) {
                state.allow(event.stream, upTo: min(credit, window.limit))
            }
        case .ended: asking.io.state.end(ask)
        case .failed(_, var failure):
            failure.text += " (on \(self[side.other].machine))"
            // The destination would ask the next broker, and would wait for the same one again.
            if [.brokerRestarted, .brokerStopped].contains(failure.code) { failure.code = .linkDown }
            asking.io.state.fail(ask, failure)
        default: isOver = false
        }
        guard isOver else { return }
        loads[side.rawValue][ask] = nil
        uses[side.other.rawValue][event.stream] = nil
        windows[side.rawValue][ask] = nil
    }
}
