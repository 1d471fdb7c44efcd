import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The hand-over of an offer that a signal ends: its commands run and its files are read now, and the broker keeps
/// their bytes.
///
/// Each representation is handed over as soon as its bytes are complete, so that one that takes too long does not delay
/// the others. Loads that are under way continue meanwhile.
final class OfferHandOver {
    private typealias Promise = HandOver.Promise

    private final class Running {
        let promise: HandOver.Promise
        let program: ServedProgram
        var bytes: [UInt8] = []

        init(_ promise: HandOver.Promise, _ program: ServedProgram) {
            self.promise = promise
            self.program = program
        }
    }

    private let contents: OfferedContents
    private var handOver: HandOver
    private var running: [Running] = []
    /// The contents at the broker where the hand-over has begun; nil before that.
    private var placed: OfferedContents.Placed?
    /// Whether nothing is left to do.
    private(set) var isOver = false

    init(of contents: OfferedContents) {
        self.contents = contents
        let promises = contents.origins.enumerated().flatMap { item, origins in
            origins.indices.map { Promise(item: item, representation: $0) }
        }
        handOver = HandOver(promises, deadline: MonotonicClock.deadline(milliseconds: HandOver.duration))
    }

    /// The time at which the rest is dropped (see `MonotonicClock`).
    var deadline: UInt64 { handOver.deadline }
    /// Whether the broker has bytes of at least one representation, or of all.
    var hasKept: Bool { !handOver.kept.isEmpty }
    var isComplete: Bool { handOver.dropped.isEmpty }

    /// Takes a turn: hands over promises that are not kept yet, and serves the loads that are under way. Throws if the
    /// broker is lost, ends or does not answer; the next turn then continues at the next broker.
    ///
    /// - Parameter handle: called for each event that does not concern an ask.
    /// - Returns: what is ready on `extra`, in its order.
    func turn(
        at placed: OfferedContents.Placed,
        watching extra: [PollInterest],
        _ handle: (ClientEvent) throws -> Void
    ) throws -> [PollInterest.Readiness] {
        if self.placed?.connection !== placed.connection { try begin(at: placed) }
        var end = deadline
        switch handOver.next(at: MonotonicClock.now()) {
        case .make(let promise):
            try start(promise, at: placed)
            end = 0
        case .wait: break
        case .over:
            stop()
            isOver = placed.server.isIdle || MonotonicClock.now() >= deadline
            if isOver { return extra.map { _ in [] } }
        }
        let watched = running.flatMap { run in
            run.program.interests(takesOutput: true).map { (run, stream: $0.0, interest: $0.1) }
        }
        let ready = try placed.server.turn(watching: extra + watched.map(\.interest), until: end, handle)
        for (watch, readiness) in zip(watched, ready.dropFirst(extra.count)) where !readiness.isEmpty {
            try watch.0.program.handle(watch.stream) { try takeOutput(of: watch.0) }
        }
        for run in running { try finishIfComplete(run, at: placed) }
        return Array(ready.prefix(extra.count))
    }

    /// Ends the programs that run.
    func stop() {
        for run in running { run.program.finishStopping() }
        running = []
    }

    /// Drops what is not kept, with `error` as the reason, and reports what was kept and what was not.
    ///
    /// - Parameter isLost: whether the broker was lost, so that the bytes that it kept may be lost, too.
    func abandon(after error: any Error, isLost: Bool) {
        handOver.dropRest(Self.reason(error))
        report(isLost: isLost || placed.map { isLoss(error, of: $0) } ?? false)
    }

    /// Begins at a broker, with what it keeps already: an earlier hand-over of this offer may have begun at the one
    /// before.
    private func begin(at placed: OfferedContents.Placed) throws {
        stop()
        // A broker that does not answer must not delay the exit.
        placed.connection.io.timeouts.silence = 2_000
        placed.connection.io.timeouts.probe = 500
        handOver.begin(keeping: try kept(at: placed))
        self.placed = placed
    }

    private func kept(at placed: OfferedContents.Placed) throws -> Set<Promise> {
        let listing: BoardListing
        do {
            listing = try placed.connection.listing(
                of: contents.standing.write.board ?? BoardName.general,
                settles: false
            )
        } catch {
            guard !isLoss(error, of: placed), placed.connection.io.state.failure == nil else { throw error }
            // Promises that the broker keeps already are handed over once more.
            return []
        }
        guard listing.contents.handle == placed.publication.committed.handle else { return [] }
        let types = contents.items.map { $0.representations.map(\.representation.type) }
        return HandOver.kept(of: types, in: listing.items)
    }

    private func start(_ promise: Promise, at placed: OfferedContents.Placed) throws {
        let origin = contents.origins[promise.item][promise.representation]
        do {
            if case .input(let input) = origin, let file = input.file {
                guard let bytes = try contents(of: file, for: promise) else { return dropLarge(promise) }
                return try keep(promise, bytes, at: placed)
            }
            // No ask has this number.
            let record = AskRecord(type(of: promise))
            let program = try ServedProgram(origin.program(), ask: 0, record: record, reportInterval: 0)
            running.append(Running(promise, program))
        } catch let error where !isLoss(error, of: placed) {
            handOver.drop(promise, Self.reason(error))
        }
    }

    /// - Returns: nil if the file exceeds the limit.
    private func contents(of file: DescriptorBox, for promise: Promise) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let piece = try [UInt8](capacity: WireLimits.dataLength) { (output) throws(SystemError) in
                _ = try System.read(file.raw, at: UInt64(bytes.count), into: &output)
            }
            if piece.isEmpty { return bytes }
            guard handOver.acquire(UInt64(piece.count), of: promise) else { return nil }
            bytes += piece
        }
    }

    private func takeOutput(of run: Running) throws {
        let bytes = try run.program.readOutput(upTo: WireLimits.dataLength)
        run.bytes += bytes
        guard !handOver.acquire(UInt64(bytes.count), of: run.promise) else { return }
        remove(run)
        run.program.finishStopping()
        dropLarge(run.promise)
    }

    private func finishIfComplete(_ run: Running, at placed: OfferedContents.Placed) throws {
        run.program.recordEndOfOutputIfOver()
        guard run.program.isComplete else { return }
        remove(run)
        if let failure = run.program.failure() {
            handOver.drop(run.promise, failure.text)
        } else {
            try keep(run.promise, run.bytes, at: placed)
        }
    }

    private func remove(_ run: Running) {
        running.removeAll { $0 === run }
    }

    // MARK: The broker

    private func keep(_ promise: Promise, _ bytes: [UInt8], at placed: OfferedContents.Placed) throws {
        var representation = contents.items[promise.item].representations[promise.representation].representation
        representation.byteCount = nil
        let origin = contents.origins[promise.item][promise.representation]
        if case .input(let input) = origin, input.folder != nil { representation.content = .folderArchive }
        // Items without representations change nothing.
        var items = Array(repeating: WriteItem(representations: []), count: promise.item)
        items.append(WriteItem(representations: [(representation, .bytes(bytes))]))
        do {
            let write = HandOver.addition(to: placed.publication.committed.handle)
            _ = try placed.connection.write(write, items: items)
            handOver.keep(promise)
        } catch let error where !isLoss(error, of: placed) {
            handOver.drop(promise, Self.reason(error))
        }
    }

    /// Whether the broker was lost or ends, so that nothing more can be handed over to it.
    private func isLoss(_ error: any Error, of placed: OfferedContents.Placed) -> Bool {
        (error as? Failure).map { placed.connection.io.loss(of: $0) != .other } ?? false
    }

    // MARK: The report

    private func type(of promise: Promise) -> String {
        contents.items[promise.item].representations[promise.representation].representation.type
    }

    private func dropLarge(_ promise: Promise) {
        handOver.drop(promise, "more than \(ByteCount.text(HandOver.byteLimit)) in all")
    }

    private static func reason(_ error: any Error) -> String {
        // The failure of a command that a signal has ended has no text.
        CommandFailure(error).text ?? "interrupted"
    }

    /// Reports what was kept and what was not, in the order of the offer: programs end in any order.
    func report(isLost: Bool = false) {
        let kept = handOver.kept.sorted().map(type(of:)).joined(separator: ", ")
        var text = kept.isEmpty ? "kept nothing" : isLost ? "the broker that ended had kept \(kept)" : "kept \(kept)"
        let dropped = handOver.dropped.sorted { $0.key < $1.key }.map { "\(type(of: $0.key)) (\($0.value))" }
        if !dropped.isEmpty { text += "; not kept: \(dropped.joined(separator: ", "))" }
        StandardStreams.remark(text)
    }
}
