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
        live: LiveConnection,
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
        timeout: Duration?,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        guard timeout == nil, progress == nil, window == nil, bounds.areStandard, target.live.takesRequests else {
            return try await loadReportedData(timeout: timeout, bounds, progress: progress)
        }
        let load = DataLoad(target, progress: nil)
        return try await load.result.value {
            load.cancel()
        } start: {
            target.live.open(load)
        }
    }

    /// The same representation at the next broker; nil if the connection over which the contents were listed takes
    /// requests, or the contents have ended with it.
    private func atNextBroker(
        for call: Call,
        _ progress: LoadProgress?
    ) async throws(PasteboardError) -> RemoteRepresentation? {
        guard !target.live.takesRequests, let next = contents.atNextBroker else { return nil }
        do throws(PasteboardError) {
            return RemoteRepresentation(
                type,
                of: next,
                item: item,
                firstByteMilliseconds: firstByteMilliseconds,
                connection: connection,
                live: try await connection.liveConnection(for: call),
                window: nil
            )
        } catch {
            progress?.end(byteCount: nil)
            throw error
        }
    }

    /// Loads with a timeout, bounds or a progress, as a part of a drop, or at the next broker.
    @inline(never)
    private func loadReportedData(
        timeout: Duration?,
        _ bounds: LoadBounds,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        let call = Call("the load", timeout: timeout)
        if let next = try await atNextBroker(for: call, progress) {
            do throws(PasteboardError) {
                return try await next.loadReportedData(timeout: call.deadline?.left, bounds, progress: progress)
            } catch {
                throw call.error(ofLoad: error)
            }
        }
        let (progress, isInTime) = begin(progress)
        let load = DataLoad(target, maximum: bounds.maximum, progress: progress)
        do throws(PasteboardError) {
            let request = request(timeout: timeout, inPlace: false, bounds)
            return try await load.value(for: call) {
                target.live.open(load) { state throws(Failure) in try state.open(request) }
                progress?.call?.begun()
            }
        } catch {
            progress?.end(byteCount: nil)
            throw described(error, isInTime: isInTime)
        }
    }

    /// Begins a load in its drop, if there is one.
    ///
    /// - Returns: the progress to which the load reports, and whether the drop allows the load now or has allowed its
    ///   call.
    private func begin(_ progress: LoadProgress?) -> (LoadProgress?, isInTime: Bool) {
        guard let window else { return (progress, false) }
        let part = window.begin(progress, item: item)
        return (part, progress?.call != nil || part !== progress)
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

    /// Begins a load whose bytes are read from chunks.
    ///
    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        timeout: Duration?,
        inPlace: Bool,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        let call = Call("the load", timeout: timeout)
        if let next = try await atNextBroker(for: call, progress) {
            return try await next.open(timeout: call.deadline?.left, inPlace: inPlace, bounds, progress: progress)
        }
        let (progress, isInTime) = begin(progress)
        let load = ChunkLoad(type, progress: progress, deadline: call.deadline, live: target.live)
        progress?.begin { [weak load] in load?.cancel() }
        do throws(PasteboardError) {
            return try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { state throws(Failure) in
                    try state.open(request(timeout: timeout, inPlace: inPlace, bounds))
                }
                progress?.call?.begun()
            }
        } catch {
            progress?.end(byteCount: nil)
            throw described(error, isInTime: isInTime)
        }
    }

    private func request(timeout: Duration?, inPlace: Bool, _ bounds: LoadBounds) -> Load {
        var load = Self.request(of: type, contents, item: item)
        load.limit(timeout: timeout, bounds)
        if inPlace { load.inPlaceWelcome = true }
        return load
    }
}
