import FoundationEssentials
import PasteboardClient
import PasteboardWire

/// One representation of an item of another process. It is bound to the listed contents and to the connection on which
/// they were listed, because a handle has no meaning for another broker.
struct RemoteRepresentation: Sendable {
    let connection: PasteboardConnection
    let live: LiveConnection
    let handle: UInt64
    let item: Int
    let type: UniformType
    /// The first-byte timeout that the source has requested. It is passed on if this process publishes the item again.
    let firstByteMilliseconds: UInt64?
    /// The drop that the item belongs to, if any.
    let scope: (any LoadScope)?

    func loadData(timeout: Duration?, progress: LoadProgress?) async throws(PasteboardError) -> Loaded<Data> {
        let request = request(timeout: timeout)
        let progress = scope?.begin(progress, item: item) ?? progress
        let load = DataLoad(type, progress: progress)
        let live = live
        let cancel: @Sendable () -> Void = {
            if load.result.resolve(.failure(.cancelled)) { live.cancel(load) }
        }
        progress?.begin(cancel: cancel)
        let deadline = LoadDeadline(timeout)
        let timer = deadline?.timer(grace: LoadDeadline.brokerGrace) {
            guard let error = deadline?.error, load.result.resolve(.failure(error)) else { return }
            progress?.end(byteCount: nil)
            live.cancel(load)
        }
        defer { timer?.cancel() }
        do throws(PasteboardError) {
            return try await load.result.value(onCancel: cancel) {
                live.open(load) { state throws(Failure) in try state.open(request) }
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
        progress: LoadProgress?
    ) async throws(PasteboardError) -> OpenedLoad {
        var request = request(timeout: timeout)
        if inPlace { request.inPlaceWelcome = true }
        let progress = scope?.begin(progress, item: item) ?? progress
        let load = ChunkLoad(type, progress: progress, deadline: LoadDeadline(timeout), live: live)
        progress?.begin { [weak load] in load?.cancel() }
        do throws(PasteboardError) {
            return try await load.result.value {
                load.cancel()
            } start: {
                live.open(load) { [request] state throws(Failure) in try state.open(request) }
                progress?.call?.begun()
            }
        } catch {
            throw described(error)
        }
    }

    private func request(timeout: Duration?) -> Load {
        var accept = Accept()
        accept.type = type.identifier
        accept.match = .exact
        var load = Load()
        load.handle = handle
        load.item = UInt32(clamping: item)
        load.accepts = [accept]
        load.descriptorWelcome = true
        load.timeoutMilliseconds = timeout?.loadMilliseconds
        return load
    }
}
