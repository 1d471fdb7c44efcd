import FoundationEssentials
import PasteboardClient
import PasteboardWire

// Reads of the present contents. A read lists the contents and then loads from them. If a program replaces them in between,
// the read begins again, so that it fails only if that goes on until its timeout.
extension Pasteboard {
    /// The time in which a read without a timeout begins again.
    private static let repeats = Duration.seconds(30)

    /// Lists the contents and reads from them, again if they are replaced before a load of `body` begins.
    ///
    /// - Parameter direct: reads from the present contents without a list; nil if it finds nothing there. It is called after
    ///   contents were replaced, because it succeeds however often programs write.
    func read<Value>(
        for call: Call,
        _ body: (Contents) async throws(PasteboardError) -> sending Value,
        direct: () async throws(PasteboardError) -> sending Value? = { () throws(PasteboardError) in nil }
    ) async throws(PasteboardError) -> sending Value {
        var end: LoadDeadline?
        while true {
            let contents = try await contents(for: call)
            do throws(PasteboardError) {
                return try await body(contents)
            } catch {
                guard error.code == .superseded else { throw error }
                end = end ?? call.deadline ?? LoadDeadline(Self.repeats)
                // With a timeout, the next list fails.
                guard call.deadline != nil || end?.left != .zero else { throw error }
            }
            if let value = try await direct() { return value }
        }
    }

    /// Loads the bytes of the first item that has one of the types or a type that conforms to one.
    ///
    /// - Parameters:
    ///   - ifChangeCount: the change count that the pasteboard must have; nil: any.
    ///   - includesGone: whether the load of an item whose source has ended is tried, so that its error names the source.
    /// - Returns: nil if there is no such item.
    func firstData(
        for accepted: [UniformType],
        ifChangeCount: ChangeCount? = nil,
        includesGone: Bool = false,
        _ bounds: LoadBounds = LoadBounds(),
        progress: LoadProgress? = nil,
        for call: Call
    ) async throws(PasteboardError) -> Loaded<Data>? {
        // Each load ends its own progress.
        var part: LoadProgress?
        func data(of contents: Contents) async throws(PasteboardError) -> Loaded<Data>? {
            part = progress?.makePart()
            var found = contents.loadableProviders.first(accepted)
            if found == nil, includesGone { found = contents.items.map(\.itemProvider).first(accepted) }
            guard let found else { return nil }
            return try await found.provider.loadData(
                for: found.type,
                timeout: call.deadline?.left,
                maximumByteCount: bounds.maximumByteCount,
                isAutomatic: bounds.isAutomatic,
                progress: part
            )
        }
        do throws(PasteboardError) {
            let loaded: Loaded<Data>?
            if let ifChangeCount {
                loaded = try await data(of: try await contents(ifChangeCount: ifChangeCount, for: call))
            } else {
                loaded = try await read(for: call) { (contents) throws(PasteboardError) in
                    try await data(of: contents)
                } direct: { () throws(PasteboardError) in
                    part = progress?.makePart()
                    return try await presentData(for: accepted, bounds, progress: part, for: call)
                }
            }
            if loaded == nil { progress?.end(byteCount: nil) } else { progress?.end(part) }
            return loaded
        } catch {
            progress?.end(byteCount: nil)
            throw call.error(ofLoad: error)
        }
    }

    /// Loads the bytes of the first item of the contents that the pasteboard has when the broker takes the request.
    ///
    /// - Returns: nil if that item cannot be loaded as one of the types. Another item may be.
    private func presentData(
        for accepted: [UniformType],
        _ bounds: LoadBounds,
        progress: LoadProgress?,
        for call: Call
    ) async throws(PasteboardError) -> Loaded<Data>? {
        guard let first = accepted.first, accepted.count <= WireLimits.accepts else { return nil }
        var request = Load()
        request.board = name.rawValue
        request.accepts = accepted.map { type in
            var accept = Accept()
            accept.type = type.identifier
            return accept
        }
        let edges = UniformType.edges(toward: accepted)
        guard edges.count <= WireLimits.accepts,
            edges.reduce(0, { $0 + $1.supertypes.count }) <= WireLimits.edgeSupertypes
        else { return nil }
        request.edges = edges.map { edge in
            var edges = TypeEdges()
            (edges.type, edges.supertypes) = (edge.type, edge.supertypes)
            return edges
        }
        request.descriptorWelcome = true
        request.timeoutMilliseconds = call.deadline?.left.loadMilliseconds
        request.maximumByteCount = bounds.maximumByteCount.map { UInt64(clamping: $0) }
        if bounds.isAutomatic { request.isAutomatic = true }
        let live = try await liveConnection(for: call)
        let load = DataLoad(LoadTarget(first, request, live: live), maximum: bounds.maximum, progress: progress)
        progress?.begin { load.cancel() }
        let timer = call.deadline?.timer(grace: LoadDeadline.brokerGrace) { load.cancel(call.timedOut) }
        defer { timer?.cancel() }
        do throws(PasteboardError) {
            return try await load.result.value {
                load.cancel()
            } start: {
                live.open(load) { state throws(Failure) in try load.open(&state) }
            }
        } catch {
            switch error.code {
            case .nothingHere, .typeUnavailable, .sourceGone, .superseded, .invalidArgument: return nil
            default: throw error
            }
        }
    }
}

extension Call {
    /// Returns the error of a load that is a part of the call. The load's own error would name the time that was left, which is
    /// not the timeout that the caller passed.
    func error(ofLoad error: PasteboardError) -> PasteboardError {
        error.code == .timeout ? timedOut : error
    }
}

extension [ItemProvider] {
    /// Returns the first item that has one of the types or a type that conforms to one, and the type that it is loaded as.
    fileprivate func first(_ accepted: [UniformType]) -> (provider: ItemProvider, type: UniformType)? {
        for provider in self {
            let representations = provider.representations
            let found =
                accepted.count == 1
                ? representations.best(for: accepted[0]) : representations.best(of: accepted, preferring: .source)
            if let found { return (provider, found.type) }
        }
        return nil
    }
}
