import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// The sending of the items of a write, and of the bytes that the broker is to keep.
///
/// The handlers of one item run before its message is sent, because the message says what they produce; their bytes
/// follow chunk by chunk, as fast as the broker takes them. The next item is prepared before the last frame of this
/// one, so that the broker always waits for bytes of a representation: then an empty frame shows it that the write
/// continues.
struct ItemWriting: Sendable {
    /// The interval of the empty frames, well below the 10 s after which a broker ends a silent write.
    private static let keepAlive = Duration.seconds(3)

    let items: [ProviderContents]
    let keeps: Pasteboard.KeptRepresentations
    let live: BrokerConnection
    let call: Call
    /// Acquires room for bytes before they are sent, or throws if there is none; nil: there is always room.
    typealias Room = @Sendable (UInt64) throws(PasteboardError) -> Void
    var acquireRoom: Room?
    /// Called when the commit is on its way, so that the write can no longer be taken back. It is called while the core
    /// of the connection is held.
    var committing: @Sendable () -> Void = {}

    /// Runs the handlers, opens the write, and sends all items with their bytes. Cancellation has an effect only before
    /// the commit is on its way.
    ///
    /// - Parameters:
    ///   - answerer: answers the asks for promises.
    ///   - open: opens the write.
    /// - Returns: the stream, whose answer is not awaited.
    /// - Throws: the error of a handler, as a `PasteboardError`, or the `RequestFailure` of the write.
    // Not on the caller's actor, which the sending of bytes would occupy.
    @concurrent func send(
        answering answerer: Answerer? = nil,
        on open: @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) async throws -> BrokerStream {
        var current = nextKept(0)
        var loads: [OpenedLoad] = []
        if let current {
            loads = try await live.performing(until: call.end, on: ThreadPool.files) {
                try await self.loads(of: current)
            }
        }
        // Checked before anything is sent, if the sizes are known.
        var announced = loads.compactMap(\.reader.byteCount).reduce(0) { $0 > .max - $1 ? .max : $0 + $1 }
        try acquireRoom?(announced)
        var isOpen = false
        let stream = live.open(until: call.end, answering: answerer) { [loads] state throws(Failure) in
            let stream = try begin(keeping: loads, on: open, &state)
            isOpen = true
            return stream
        }
        if !isOpen { try stream.check(.uncommitted) }
        if current == nil { return stream }
        let shared = stream.shared
        let timer = Task { while (try? await Task.sleep(for: Self.keepAlive)) != nil { shared.keepAlive() } }
        defer { timer.cancel() }
        while let item = current {
            // Each load is released when its bytes are sent, with what its source has passed.
            while !loads.isEmpty {
                let load = loads.removeFirst()
                while let chunk = try await next(of: load.reader, for: stream) {
                    let covered = min(announced, UInt64(chunk.count))
                    announced -= covered
                    try acquireRoom?(UInt64(chunk.count) - covered)
                    if await !shared.send({ $0(chunk.span) }, isLast: false) { try stream.check(.uncommitted) }
                }
                guard !loads.isEmpty else { break }
                if try !shared.endBytes() { try stream.check(.uncommitted) }
            }
            let next = nextKept(item + 1)
            // If the write ends, this does not wait for the handlers.
            let nextLoads = try await stream.performing(on: ThreadPool.files) { try await self.loads(of: next) }
            let isOpen = try shared.endBytes { (state, stream) throws(Failure) in
                try add(from: item + 1, nextLoads, to: stream, &state)
            }
            if !isOpen { try stream.check(.uncommitted) }
            (current, loads) = (next, nextLoads)
        }
        return stream
    }

    /// The next bytes. If the write ends, this does not wait for them.
    private func next(of reader: LoadReader, for stream: borrowing BrokerStream) async throws -> Data? {
        do {
            // Without a task for each chunk.
            return try await stream.outcome { reader.next($0) }
        } catch {
            reader.cancel()
            throw error
        }
    }

    /// The next item of which a representation is kept.
    private func nextKept(_ start: Int) -> Int? {
        items.indices[start...].first { !keeps.indices(of: items[$0]).isEmpty }
    }

    /// Runs the handlers of an item's kept representations.
    private func loads(of item: Int?) async throws(PasteboardError) -> [OpenedLoad] {
        guard let item else { return [] }
        let provider = ItemProvider(items[item])
        var options = LoadOptions()
        options.timeout = call.deadline?.left
        var loads: [OpenedLoad] = []
        for index in keeps.indices(of: items[item]) {
            loads.append(try await provider.open(items[item].representations[index], options, progress: nil))
        }
        return loads
    }

    /// Opens the write, and sends items up to the first one whose bytes follow: those of `loads`.
    private func begin(
        keeping loads: [OpenedLoad],
        on open: (inout ClientState) throws(Failure) -> UInt64,
        _ state: inout ClientState
    ) throws(Failure) -> UInt64 {
        let stream = try open(&state)
        do throws(Failure) {
            try add(from: 0, loads, to: stream, &state)
        } catch {
            state.cancel(stream)
            throw error
        }
        return stream
    }

    /// Adds items up to the next one whose bytes follow; after the last item, commits the write.
    private func add(
        from start: Int,
        _ loads: [OpenedLoad],
        to stream: UInt64,
        _ state: inout ClientState
    ) throws(Failure) {
        for item in items[start...] {
            guard keeps.indices(of: item).isEmpty else {
                return try state.add(item.message(keeping: loads), to: stream)
            }
            try state.add(item.message, to: stream)
        }
        state.commit(stream, itemCount: items.count)
        committing()
    }
}

extension ProviderContents {
    /// The message of an item whose first representations are kept. Their bytes are those of `loads`.
    fileprivate func message(keeping loads: [OpenedLoad]) -> Item {
        var item = message
        for (index, load) in loads.enumerated() {
            item.representations[index].provision = .kept
            item.representations[index].byteCount = load.reader.byteCount
            if load.reader.isArchive { item.representations[index].content = .folderArchive }
            // These are rules for the handler of a promise.
            item.representations[index].policy = nil
            item.representations[index].firstByteMilliseconds = nil
            item.representations[index].fileOptions = nil
            item.representations[index].file = item.representations[index].file ?? load.file
            item.suggestedName = item.suggestedName ?? load.reader.fileName.flatMap(SafeFileName.component)
        }
        item.requires = item.requiredFeatures
        return item
    }
}
