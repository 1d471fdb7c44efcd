import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// One representation of an item of another process. It is bound to the listed contents: a load names them by their
/// handle while the connection over which they were listed takes requests, and then by their board and change count,
/// because a handle has no meaning for another broker.
final class RemoteRepresentation: Sendable {
    let item: Int
    let type: UniformType
    /// The first-byte timeout that the source has requested. It is passed on if this process publishes the item again.
    let firstByteMilliseconds: UInt64?
    /// The window of the drop that the item belongs to, if any.
    let window: DropWindow?
    private let contents: ContentsName
    private let target: LoadTarget
    private let connection: PasteboardConnection

    init(
        _ type: UniformType,
        of contents: ContentsName,
        item: Int,
        firstByteMilliseconds: UInt64?,
        connection: PasteboardConnection,
        live: BrokerConnection,
        window: DropWindow?
    ) {
        self.item = item
        self.type = type
        self.firstByteMilliseconds = firstByteMilliseconds
        self.window = window
        self.contents = contents
        target = LoadTarget(type, Self.request(of: type, contents, item: item), live: live)
        self.connection = connection
    }

    /// The request of a load without a timeout.
    private static func request(of type: UniformType, _ contents: ContentsName, item: Int) -> Load {
        let accept = Accept(type.identifier, match: .exact)
        var request = Load()
        request.handle = contents.handle
        if contents.handle == nil, let board = contents.board {
            request.board = board.name
            request.ifChangeCount = board.changeCount
            request.requires = [Feature.condition.rawValue]
        }
        request.item = UInt32(clamping: item)
        request.accepts = [accept]
        request.descriptorWelcome = true
        return request
    }

    // Inlined, like the wait for the result: an asynchronous call costs as much as the request.
    @inline(__always)
    func loadData(
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        let isPlain = options.areStandard && progress == nil && window == nil && !connection.isAutomatic
        guard isPlain, target.live.takesRequests else {
            return try await loadReportedData(options, progress: progress)
        }
        let load = DataLoad(target, progress: nil)
        return try await load.result.value {
            load.cancel()
        } start: {
            target.live.openSoon(load) { state throws(Failure) in try load.open(&state) }
        }
    }

    /// Loads with options or a progress, as a part of a drop, or at the next broker.
    @inline(never)
    private func loadReportedData(
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        let call = Call("the load", timeout: options.timeout)
        return try await load(for: call, options, progress) { (target, request, progress) throws(PasteboardError) in
            let load = DataLoad(target, maximum: options.maximum, progress: progress)
            return try await load.value(for: call) {
                target.live.open(load) { state throws(Failure) in try state.open(request) }
                progress?.call?.begun()
            }
        }
    }

    /// Begins a load whose bytes are read from chunks.
    ///
    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        inPlace: Bool,
        _ options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        let call = Call("the load", timeout: options.timeout)
        return try await load(for: call, options, progress) { (target, request, progress) throws(PasteboardError) in
            let load = ChunkLoad(type, progress: progress, deadline: call.deadline, live: target.live)
            progress?.begin { [weak load] in load?.cancel() }
            var request = request
            if inPlace { request.inPlaceWelcome = true }
            return try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { [request] state throws(Failure) in try state.open(request) }
                progress?.call?.begun()
            }
        }
    }

    /// Makes a load as a part of its drop, if there is one.
    ///
    /// - Parameter load: makes the load with its target, its request, and the progress to which it reports.
    private func load<Value: Sendable>(
        for call: Call,
        _ options: LoadOptions,
        _ progress: LoadProgress?,
        _ load: (LoadTarget, Load, LoadProgress?) async throws(PasteboardError) -> Value
    ) async throws(PasteboardError) -> Value {
        let part = window?.begin(progress, item: item) ?? progress
        var current = self
        do throws(PasteboardError) {
            current = try await atCurrentBroker(for: call)
            var request = Self.request(of: type, current.contents, item: item)
            let timeout = current === self ? call.deadline?.timeout : call.deadline?.left
            request.timeoutMilliseconds = timeout?.loadMilliseconds
            request.limit(options, isAutomatic: connection.isAutomatic)
            return try await load(current.target, request, part)
        } catch {
            part?.end(byteCount: nil)
            if current !== self { throw call.error(ofLoad: error) }
            // The drop allows the load now, or has allowed its call.
            throw described(error, isInTime: progress?.call != nil || part !== progress)
        }
    }

    /// The same representation at the next broker, if the connection over which the contents were listed takes no
    /// requests; this one if the contents have ended with it.
    private func atCurrentBroker(for call: Call) async throws(PasteboardError) -> RemoteRepresentation {
        guard !target.live.takesRequests, let next = contents.atNextBroker else { return self }
        let live = try await connection.liveConnection(for: call)
        // The source may not have promised the contents there yet. A list waits for that.
        if let board = next.board, live.expectsReclaims {
            do throws(RequestFailure) {
                _ = try await live.listing(of: board.name, until: call.end)
            } catch {
                throw call.error(of: error)
            }
        }
        return RemoteRepresentation(
            type,
            of: next,
            item: item,
            firstByteMilliseconds: firstByteMilliseconds,
            connection: connection,
            live: live,
            window: nil
        )
    }

    /// Records that the loaded bytes could not be stored here: if the drop is a move, the source has to keep the item.
    func lose() {
        window?.lose(item)
    }

    /// Replaces the broker's error by one that names the drag session. After the session has ended, the broker reports
    /// its items as superseded, like any other contents.
    private func described(_ error: PasteboardError, isInTime: Bool) -> PasteboardError {
        guard let window, error.code == .superseded else { return error }
        return window.interruption(isInTime: isInTime)
            ?? PasteboardError(
                .notLoadableNow,
                message: "the drag session of this item has ended; begin loads while its drop is performed, or in the "
                    + "operation of the session's extendDropWindow"
            )
    }
}
