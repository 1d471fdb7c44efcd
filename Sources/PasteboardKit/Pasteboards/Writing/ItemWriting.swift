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
    /// Acquires room for bytes before they are sent, or throws if there is none; nil: there is always room.
    typealias Room = @Sendable (UInt64) throws(PasteboardError) -> Void
    var acquireRoom: Room?
    /// Called when the commit is on its way, so that the write can no longer be taken back.
    var committing: @Sendable () -> Void = {}

    /// Runs the handlers, opens the write for `request`, and sends all items with their bytes.
    ///
    /// - Throws: the error of a handler, or `cancelled`. The caller then cancels the write. A failure of the write
    ///   itself is passed to `request` alone.
    func send(
        for request: WriteRequest,
        on open: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) async throws(PasteboardError) {
        var current = nextKept(0)
        var loads = try await self.loads(of: current)
        // Checked before anything is sent, if the sizes are known.
        var announced = loads.compactMap(\.reader.byteCount).reduce(0) { $0 > .max - $1 ? .max : $0 + $1 }
        try acquireRoom?(announced)
        let opened = live.open(request) { [loads] state throws(Failure) in try begin(keeping: loads, on: open, &state) }
        // nil if the write has failed or was cancelled.
        guard let stream = opened else { return }
        let timer = Task { while (try? await Task.sleep(for: Self.keepAlive)) != nil { stream.keepAlive() } }
        defer { timer.cancel() }
        while let item = current {
            // Each load is released when its bytes are sent, with what its source has passed.
            while !loads.isEmpty {
                let load = loads.removeFirst()
                while let chunk = try await load.reader.next() {
                    let covered = min(announced, UInt64(chunk.count))
                    announced -= covered
                    try acquireRoom?(UInt64(chunk.count) - covered)
                    guard await stream.send({ $0(chunk.span) }, isLast: false) else { return try checkCancellation() }
                }
                guard !loads.isEmpty else { break }
                guard try end(stream) else { return }
            }
            current = nextKept(item + 1)
            loads = try await self.loads(of: current)
            let isOpen = try end(stream) { (state, stream) throws(Failure) in
                try add(from: item + 1, loads, to: stream, &state)
            }
            guard isOpen else { return }
        }
    }

    /// Ends the bytes of a representation.
    ///
    /// - Returns: false if the write has ended, whose request has the failure.
    private func end(
        _ stream: StreamReference,
        _ next: (inout ClientState, UInt64) throws(Failure) -> Void = { _, _ in }
    ) throws(PasteboardError) -> Bool {
        do throws(Failure) { return try stream.endBytes(next) } catch { throw PasteboardError(error) }
    }

    private func checkCancellation() throws(PasteboardError) { if Task.isCancelled { throw .cancelled } }

    /// The next item of which a representation is kept.
    private func nextKept(_ start: Int) -> Int? {
        items.indices[start...].first { !keeps.indices(of: items[$0]).isEmpty }
    }

    /// Runs the handlers of an item's kept representations.
    private func loads(of item: Int?) async throws(PasteboardError) -> [OpenedLoad] {
        guard let item else { return [] }
        let provider = ItemProvider(items[item])
        var loads: [OpenedLoad] = []
        for index in keeps.indices(of: items[item]) {
            loads.append(try await provider.open(items[item].representations[index], LoadOptions(), progress: nil))
        }
        return loads
    }

    /// Opens the write, and sends items up to the first one whose bytes follow: those of `loads`.
    func begin(
        keeping loads: [OpenedLoad] = [],
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
            let kept = keeps.indices(of: item)
            guard kept.isEmpty else { return try state.add(item.message(keeping: loads), to: stream) }
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
