import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// One representation of an item of another process. It is bound to the listed contents and to the connection on which
/// they were listed, because a handle has no meaning for another broker.
final class RemoteRepresentation: Sendable {
    let item: Int
    let type: UniformType
    /// The first-byte timeout that the source has requested. It is passed on if this process publishes the item again.
    let firstByteMilliseconds: UInt64?
    /// The drop that the item belongs to, if any.
    let scope: (any LoadScope)?
    private let handle: UInt64
    private let target: LoadTarget
    private let connection: PasteboardConnection

    init(
        _ type: UniformType,
        handle: UInt64,
        item: Int,
        firstByteMilliseconds: UInt64?,
        connection: PasteboardConnection,
        live: LiveConnection,
        scope: (any LoadScope)?
    ) {
        self.item = item
        self.type = type
        self.firstByteMilliseconds = firstByteMilliseconds
        self.scope = scope
        self.handle = handle
        target = LoadTarget(type, Self.request(of: type, handle: handle, item: item), live: live)
        self.connection = connection
    }

    /// The request of a load without a timeout.
    private static func request(of type: UniformType, handle: UInt64, item: Int) -> Load {
        var accept = Accept()
        accept.type = type.identifier
        accept.match = .exact
        var request = Load()
        request.handle = handle
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
        guard timeout == nil, progress == nil, scope == nil, bounds.areStandard else {
            return try await loadReportedData(timeout: timeout, bounds, progress: progress)
        }
        let load = DataLoad(target, progress: nil)
        let isInLine = MainActorLine.orders(#isolation)
        return try await load.result.value {
            load.cancel()
        } start: {
            target.live.open(load) { !isInLine && withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil } }
        }
    }

    /// Loads with a timeout, bounds, a progress or as a part of a drop.
    @inline(never)
    private func loadReportedData(
        timeout: Duration?,
        _ bounds: LoadBounds,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        let progress = scope?.begin(progress, item: item) ?? progress
        let load = DataLoad(target, maximum: bounds.maximum, progress: progress)
        progress?.begin { load.cancel() }
        let deadline = timeout.map(LoadDeadline.init)
        let timer = deadline?.timer(grace: LoadDeadline.brokerGrace) { load.cancel(deadline?.error ?? .cancelled) }
        defer { timer?.cancel() }
        do throws(PasteboardError) {
            let request = request(timeout: timeout, inPlace: false, bounds)
            return try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { state throws(Failure) in try state.open(request) }
                progress?.call?.begun()
            }
        } catch {
            progress?.end(byteCount: nil)
            throw described(error)
        }
    }

    /// Replaces the broker's error by one that names the drag session. After the session has ended, the broker reports
    /// its items as superseded, like any other contents.
    private func described(_ error: PasteboardError) -> PasteboardError {
        guard let scope, error.code == .superseded else { return error }
        return scope.interruption
            ?? PasteboardError(
                .notLoadableNow,
                message: "the drag session of this item has ended; begin loads while its drop is performed, or in the "
                    + "operation of the session's extendDropWindow"
            )
    }

    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        timeout: Duration?,
        inPlace: Bool,
        _ isAutomatic: Bool = false,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        let progress = scope?.begin(progress, item: item) ?? progress
        let load = ChunkLoad(type, progress: progress, deadline: timeout.map(LoadDeadline.init), live: target.live)
        progress?.begin { [weak load] in load?.cancel() }
        do throws(PasteboardError) {
            return try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { state throws(Failure) in
                    try state.open(
                        request(timeout: timeout, inPlace: inPlace, LoadBounds(isAutomatic: isAutomatic))
                    )
                }
                progress?.call?.begun()
            }
        } catch {
            throw described(error)
        }
    }

    private func request(timeout: Duration?, inPlace: Bool, _ bounds: LoadBounds) -> Load {
        var load = Self.request(of: type, handle: handle, item: item)
        load.timeoutMilliseconds = timeout?.loadMilliseconds
        if inPlace { load.inPlaceWelcome = true }
        load.maximumByteCount = bounds.maximumByteCount.map { UInt64(clamping: $0) }
        if bounds.isAutomatic { load.isAutomatic = true }
        return load
    }
}
