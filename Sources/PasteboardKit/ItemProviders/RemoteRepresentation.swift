import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// One representation of an item of another process. It is bound to the listed contents and to the connection on which
/// they were listed, because a handle has no meaning for another broker. After that connection was lost, a load may
/// find the same contents over the next one.
final class RemoteRepresentation: Sendable {
    let item: Int
    let type: UniformType
    /// The first-byte timeout that the source has requested. It is passed on if this process publishes the item again.
    let firstByteMilliseconds: UInt64?
    /// The drop that the item belongs to, if any.
    let scope: (any LoadScope)?
    private let handle: UInt64
    /// The contents, by which a load finds them again; nil if they end with the connection.
    private let identity: ContentsIdentity?
    private let target: LoadTarget
    private let connection: PasteboardConnection

    init(
        _ type: UniformType,
        handle: UInt64,
        identity: ContentsIdentity? = nil,
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
        self.identity = identity
        target = LoadTarget(type, Self.request(of: type, handle: handle, item: item), live: live)
        self.connection = connection
    }

    /// The request of a load without a timeout.
    private static func request(of type: UniformType, handle: UInt64, item: Int) -> Load {
        let accept = Accept(type.identifier, match: .exact)
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
        do throws(PasteboardError) {
            return try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { !isInLine && withUnsafeCurrentTask { $0?.unownedTaskExecutor == nil } }
            }
        } catch {
            return try await returned(after: error, bounds).loadData(timeout: nil, bounds, progress: nil)
        }
    }

    /// The representation to load once more after a load has failed with `error`: of the same contents, at the next
    /// broker.
    ///
    /// - Throws: the error, unless the broker was lost and the contents have come back.
    @inline(never)
    private func returned(
        after error: PasteboardError,
        _ bounds: LoadBounds,
        by deadline: LoadDeadline? = nil,
        progress: LoadProgress? = nil
    ) async throws(PasteboardError) -> RemoteRepresentation {
        guard error.code == .brokerRestarted, bounds.retries, let identity else { throw error }
        let wait = ContentsReturn(of: identity, over: connection, after: target.live)
        guard let place = try await wait.place(by: deadline, progress: progress) else { throw error }
        return RemoteRepresentation(
            type,
            handle: place.handle,
            item: item,
            firstByteMilliseconds: firstByteMilliseconds,
            connection: connection,
            live: place.live,
            scope: nil
        )
    }

    /// Loads with a timeout, bounds, a progress or as a part of a drop.
    @inline(never)
    private func loadReportedData(
        timeout: Duration?,
        _ bounds: LoadBounds,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> Loaded<Data> {
        let (progress, isInTime) = begin(progress)
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
            do throws(PasteboardError) {
                let again = try await returned(after: error, bounds, by: deadline, progress: progress)
                return try await again.loadData(timeout: deadline?.left, bounds, progress: progress)
            } catch {
                progress?.end(byteCount: nil)
                throw described(error, isInTime: isInTime)
            }
        }
    }

    /// Begins a load in its drop, if there is one.
    ///
    /// - Returns: the progress to which the load reports, and whether the drop allows the load now or has allowed its
    ///   call.
    private func begin(_ progress: LoadProgress?) -> (LoadProgress?, isInTime: Bool) {
        guard let scope else { return (progress, false) }
        let part = scope.begin(progress, item: item)
        return (part, progress?.call != nil || part !== progress)
    }

    /// Replaces the broker's error by one that names the drag session. After the session has ended, the broker reports
    /// its items as superseded, like any other contents.
    private func described(_ error: PasteboardError, isInTime: Bool) -> PasteboardError {
        guard let scope, error.code == .superseded else { return error }
        return scope.interruption(isInTime: isInTime)
            ?? PasteboardError(
                .notLoadableNow,
                message: "the drag session of this item has ended; begin loads while its drop is performed, or in the "
                    + "operation of the session's extendDropWindow"
            )
    }

    /// Begins a load whose bytes are read from chunks. It is made once more if the broker is lost before the source has
    /// answered.
    ///
    /// - Parameter inPlace: whether the source's own file is accepted instead of a copy.
    func open(
        timeout: Duration?,
        inPlace: Bool,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        let (progress, isInTime) = begin(progress)
        let deadline = timeout.map(LoadDeadline.init)
        let load = ChunkLoad(type, progress: progress, deadline: deadline, live: target.live)
        progress?.begin { [weak load] in load?.cancel() }
        do throws(PasteboardError) {
            var opened = try await load.result.value {
                load.cancel()
            } start: {
                target.live.open(load) { state throws(Failure) in
                    try state.open(request(timeout: timeout, inPlace: inPlace, bounds))
                }
                progress?.call?.begun()
            }
            if identity != nil {
                opened.again = { error, deadline, progress throws(PasteboardError) in
                    try await self.open(
                        again: error,
                        by: deadline,
                        inPlace: false,
                        bounds,
                        progress: progress,
                        isInTime: isInTime
                    )
                }
            }
            return opened
        } catch {
            return try await open(
                again: error,
                by: deadline,
                inPlace: inPlace,
                bounds,
                progress: progress,
                isInTime: isInTime
            )
        }
    }

    /// Begins the load once more after it has failed with `error`, if the broker was lost.
    private func open(
        again error: PasteboardError,
        by deadline: LoadDeadline?,
        inPlace: Bool,
        _ bounds: LoadBounds,
        progress: LoadProgress?,
        isInTime: Bool
    ) async throws(PasteboardError) -> OpenedLoad {
        do throws(PasteboardError) {
            let again = try await returned(after: error, bounds, by: deadline, progress: progress)
            return try await again.open(timeout: deadline?.left, inPlace: inPlace, bounds, progress: progress)
        } catch {
            progress?.end(byteCount: nil)
            throw described(error, isInTime: isInTime)
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
