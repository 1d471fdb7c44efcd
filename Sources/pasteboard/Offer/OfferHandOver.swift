import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The hand-over of an offer that a signal ends: its commands run and its files are read now, and the broker keeps
/// their bytes.
///
/// Each representation is handed over as soon as its bytes are complete, so that one that takes too long does not delay
/// the others. Loads that are under way continue meanwhile.
final class OfferHandOver {
    /// The longest duration, in milliseconds.
    static let duration = 5_000
    /// The maximum number of bytes of all representations that are handed over to one broker.
    private static let byteLimit = 64 << 20

    private struct Promise {
        let number: Int
        let item: Int
        let representation: Representation
        let origin: AskOrigin
    }

    private final class Running {
        let promise: Promise
        let program: ServedProgram
        var bytes: [UInt8] = []

        init(_ promise: Promise, _ program: ServedProgram) {
            self.promise = promise
            self.program = program
        }
    }

    private let connection: BlockingConnection
    private let board: String?
    private let handle: UInt64?
    private let promises: [Promise]
    /// The numbers of the promises that are neither kept nor dropped.
    private var open: Set<Int>
    private var running: [Running] = []
    private var left = OfferHandOver.byteLimit
    /// The types that are kept, and those that are not with the reason, by the number of the promise.
    private var kept: [Int: String] = [:]
    private var dropped: [Int: String] = [:]

    /// - Parameters:
    ///   - board: the board of the contents.
    ///   - handle: the number of the contents at the broker.
    ///   - items: the items of the contents, whose representations are promises.
    ///   - origins: the origins of their bytes.
    init(
        of board: String?,
        _ handle: UInt64?,
        _ items: [WriteItem],
        origins: [[AskOrigin]],
        over connection: BlockingConnection
    ) {
        self.board = board
        self.handle = handle
        self.connection = connection
        let all = zip(items, origins).enumerated().flatMap { index, pair in
            zip(pair.0.representations, pair.1).map { (index, $0.representation, $1) }
        }
        promises = all.enumerated().map { number, promise in
            Promise(number: number, item: promise.0, representation: promise.1, origin: promise.2)
        }
        open = Set(promises.indices)
    }

    /// Whether the broker has bytes of at least one representation, or of all.
    var hasKept: Bool { !kept.isEmpty }
    var isComplete: Bool { dropped.isEmpty }

    /// Hands over the promises that are not kept yet, and then waits for the loads that are under way. Throws if
    /// another signal arrives, or if the broker is lost, ends or does not answer.
    ///
    /// - Parameters:
    ///   - deadline: the time at which the rest is dropped (see `MonotonicClock`).
    ///   - handle: called for each event that does not concern an ask.
    func run(
        _ server: AskServer,
        until deadline: UInt64,
        watching signals: SignalBox,
        _ handle: @escaping (ClientEvent) throws -> Void
    ) throws {
        // A broker that does not answer must not delay the exit.
        connection.io.timeouts.silence = 2_000
        connection.io.timeouts.probe = 500
        defer { for run in running { run.program.finishStopping() } }
        try noteKept()
        for promise in promises where open.contains(promise.number) {
            try signals.check()
            if MonotonicClock.now() < deadline { try start(promise) } else { dropLate(promise) }
        }
        while !running.isEmpty || !server.isIdle, MonotonicClock.now() < deadline {
            let watched = running.flatMap { run in
                run.program.interests(takesOutput: true).map { (run, stream: $0.0, interest: $0.1) }
            }
            let (signal, ready) = try server.turn(
                watching: signals,
                also: watched.map(\.interest),
                until: deadline,
                handle
            )
            if let signal { throw CommandFailure.signaled(signal) }
            for (watch, readiness) in zip(watched, ready) where !readiness.isEmpty {
                try take(watch.stream, of: watch.0)
            }
            for run in running { try finishIfComplete(run) }
        }
        for run in running { dropLate(run.promise) }
        report()
    }

    /// Drops all open promises, with `error` as the reason, and reports what was kept and what was not.
    ///
    /// - Parameter isLost: whether the broker was lost before, so that the bytes that it kept may be lost, too.
    func abandon(after error: any Error, isLost: Bool) {
        for promise in promises where open.contains(promise.number) { drop(promise, error) }
        report(isLost: isLost || isLoss(error))
    }

    /// Notes what the broker keeps already, for example because an earlier hand-over of this offer began at the
    /// previous broker.
    private func noteKept() throws {
        var list = List()
        list.board = board
        let listing: BoardListing
        do {
            listing = try connection.list(list)
        } catch {
            guard !isLoss(error), connection.io.state.failure == nil else { throw error }
            // Promises that the broker keeps already are handed over once more.
            return
        }
        guard listing.contents.handle == handle else { return }
        for promise in promises where listing.items.indices.contains(promise.item) {
            let representation = listing.items[promise.item].representations.first {
                $0.type == promise.representation.type
            }
            if representation?.provision == .kept { noteKept(promise) }
        }
    }

    private func noteKept(_ promise: Promise) {
        open.remove(promise.number)
        kept[promise.number] = promise.representation.type
    }

    private func dropLate(_ promise: Promise) {
        drop(promise, "did not end within \(Self.duration / 1000) s")
    }

    private func start(_ promise: Promise) throws {
        do {
            if case .input(let input) = promise.origin, let file = input.file {
                guard input.size ?? 0 <= UInt64(clamping: left) else { throw Self.tooLarge }
                return try keep(promise, try contents(of: file))
            }
            // No ask has this number.
            let record = AskRecord(promise.representation.type)
            let program = try ServedProgram(promise.origin, 0, record, reportInterval: 0)
            running.append(Running(promise, program))
        } catch let error where !isLoss(error) {
            drop(promise, error)
        }
    }

    private func contents(of file: DescriptorBox) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= left {
            let piece = try [UInt8](capacity: WireLimits.dataLength) { (output) throws(SystemError) in
                _ = try System.read(file.raw, at: UInt64(bytes.count), into: &output)
            }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        throw Self.tooLarge
    }

    private func take(_ stream: ServedProgram.Stream, of run: Running) throws {
        switch stream {
        case .output:
            run.bytes += try run.program.readOutput(upTo: WireLimits.dataLength)
            // All runs together, so that they do not fill the memory before the first one ends.
            guard running.reduce(0, { $0 + $1.bytes.count }) > left else { return }
            remove(run)
            run.program.finishStopping()
            drop(run.promise, Self.tooLarge.text)
        case .errors: try run.program.readErrors()
        case .end: run.program.noteEnd()
        }
    }

    private func finishIfComplete(_ run: Running) throws {
        run.program.noteEndOfOutputIfOver()
        guard run.program.isComplete else { return }
        remove(run)
        if let failure = run.program.failure() {
            drop(run.promise, failure.text)
        } else {
            try keep(run.promise, run.bytes)
        }
    }

    private func remove(_ run: Running) {
        running.removeAll { $0 === run }
    }

    // MARK: The broker

    private func keep(_ promise: Promise, _ bytes: [UInt8]) throws {
        guard bytes.count <= left else { return drop(promise, Self.tooLarge.text) }
        var write = Write()
        write.handle = handle
        write.keepsPromises = true
        write.requires = [Feature.additions.rawValue, Feature.handOver.rawValue]
        var representation = promise.representation
        representation.byteCount = nil
        if case .input(let input) = promise.origin, input.folder != nil { representation.content = .folderArchive }
        // Items without representations change nothing.
        var items = Array(repeating: WriteItem(representations: []), count: promise.item)
        items.append(WriteItem(representations: [(representation, .bytes(bytes))]))
        do {
            _ = try connection.write(write, items: items)
            left -= bytes.count
            noteKept(promise)
        } catch let error where !isLoss(error) {
            drop(promise, error)
        }
    }

    /// Whether the broker was lost or ends, so that nothing more can be handed over to it.
    private func isLoss(_ error: any Error) -> Bool {
        guard let failure = error as? Failure else { return false }
        return Reconnection.mayRepeat(after: failure, of: connection, isRepeatable: true)
    }

    private func drop(_ promise: Promise, _ error: any Error) {
        // The failure of a command that a signal has ended has no text.
        drop(promise, CommandFailure(error).text ?? "interrupted")
    }

    private func drop(_ promise: Promise, _ reason: String) {
        open.remove(promise.number)
        dropped[promise.number] = "\(promise.representation.type) (\(reason))"
    }

    private func report(isLost: Bool = false) {
        // In the order of the offer: programs end in any order.
        func list(_ texts: [Int: String]) -> String {
            texts.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        }
        let names = list(kept)
        var text = kept.isEmpty ? "kept nothing" : isLost ? "the broker that ended had kept \(names)" : "kept \(names)"
        if !dropped.isEmpty { text += "; not kept: \(list(dropped))" }
        StandardStreams.note("pasteboard: offer: \(text)")
    }

    private static var tooLarge: Failure {
        Failure(.tooLarge, "more than \(ByteCount.text(UInt64(byteLimit))) in all")
    }
}
