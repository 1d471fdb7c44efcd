import PasteboardWire

/// The items of a drop: which were requested, which have arrived, and since when nothing has been transferred.
///
/// The safety of a move depends on it: the source deletes only ``items``, and only if ``result(in:itemCount:)`` is
/// complete or partial.
struct SessionDrop: Sendable {
    let destinationSession: DestinationSessionID
    let operation: DropOperation
    /// Representations for which a load was begun, and those of them whose last load was complete.
    private(set) var requested: Set<PublicationPart> = []
    private(set) var arrived: Set<PublicationPart> = []
    /// The error of the last load of each missing representation, and the texts of a few of them.
    private var codes: [PublicationPart: ErrorCode] = [:]
    private var texts: [PublicationPart: String] = [:]
    /// Items that the destination took without a load.
    private(set) var taken: Set<UInt32> = []
    private(set) var openLoads = 0
    /// The start of the drop, the close of its window, or the end of its last load.
    private(set) var quietSince: UInt64
    /// The time of the last byte of a load, the last complete load, or the last progress that the destination reported.
    private(set) var flowedAt: UInt64
    /// Whether the destination has reported progress. From then on only the limit `session` applies.
    private(set) var isAtWork = false
    /// The greatest progress that the destination has reported.
    private var reportedProgress: UInt64?

    /// The maximum number of error texts that are kept. They may be long, and only one is reported.
    private static let textLimit = 8

    init(destinationSession: DestinationSessionID, operation: DropOperation, at now: UInt64) {
        self.destinationSession = destinationSession
        self.operation = operation
        quietSince = now
        flowedAt = now
    }

    // MARK: Events

    mutating func loadBegan(_ part: PublicationPart) {
        openLoads += 1
        requested.insert(part)
    }

    /// Records the end of a load.
    ///
    /// - Parameter failure: nil if all its bytes have arrived.
    mutating func loadEnded(_ part: PublicationPart, _ failure: Failure?, at now: UInt64) {
        openLoads -= 1
        quietSince = now
        if let failure { return remember(failure, of: part) }
        bytesFlowed(at: now)
        arrived.insert(part)
        codes[part] = nil
        texts[part] = nil
    }

    /// Records that a load that was complete has failed after all: its file could not be passed on.
    mutating func loadLost(_ part: PublicationPart, _ failure: Failure) {
        arrived.remove(part)
        remember(failure, of: part)
    }

    mutating func bytesFlowed(at time: UInt64) { flowedAt = max(flowedAt, time) }

    /// Handles a report of progress from the destination.
    ///
    /// - Parameter completed: the progress, in any unit. Only a value greater than all before extends the drop: a
    ///   repeated report only shows that the destination still exists.
    mutating func progressed(to completed: UInt64?, at now: UInt64) {
        isAtWork = true
        guard let completed, completed > reportedProgress ?? 0 else { return }
        reportedProgress = completed
        bytesFlowed(at: now)
    }

    mutating func took(_ items: some Sequence<UInt32>) { taken.formUnion(items) }

    mutating func windowClosed(at now: UInt64) { quietSince = now }

    private mutating func remember(_ failure: Failure, of part: PublicationPart) {
        codes[part] = failure.code
        guard texts[part] != nil || texts.count < Self.textLimit else { return }
        texts[part] = failure.text
    }

    // MARK: Deadlines

    /// The time at which the drop exceeds a limit, unless an event extends it before.
    ///
    /// While bytes flow, or the destination has reported progress, only the limit `session` applies.
    func deadline(isWindowOpen: Bool, _ limits: BrokerLimits) -> UInt64 {
        let flow = flowedAt.addingClamped(limits.session)
        if isAtWork { return flow }
        if isWindowOpen {
            return isUntouched ? min(flow, quietSince.addingClamped(limits.dropWindow)) : flow
        }
        return openLoads == 0 ? min(flow, quietSince.addingClamped(limits.conclude)) : flow
    }

    // MARK: The result

    /// Whether nothing was requested and nothing was taken.
    var isUntouched: Bool { requested.isEmpty && taken.isEmpty }

    /// The items that the destination has.
    var items: Set<UInt32> { taken.union(arrived.map(\.item)) }

    /// The failure of the first requested representation that is missing; nil if nothing is missing. Of a copied item
    /// one representation is enough: others may have been tried before it. A moved item exists nowhere else afterwards,
    /// so all its requested representations must have arrived.
    var missing: Failure? {
        let complete = operation == .copy ? items : taken
        let missing = requested.subtracting(arrived).filter { !complete.contains($0.item) }
        guard let part = missing.min(by: { ($0.item, $0.representation) < ($1.item, $1.representation) }) else {
            return nil
        }
        let text = texts[part] ?? "it did not arrive"
        return Failure(codes[part] ?? .sourceFailed, "item \(UInt64(part.item) + 1) was not transferred: \(text)")
    }

    /// The result of the drop in a stage of its transfer.
    ///
    /// - Parameter itemCount: the number of items of the session.
    func result(in stage: TransferStage, itemCount: Int) -> DropResult {
        guard openLoads == 0 else { return .pending }
        if case .failed(let failure) = stage.handler { return .refused(failure) }
        if isUntouched, stage.conclusion?.failure == nil { return .untouched }
        // An error that the broker observed is more precise than the destination's report about it.
        if let missing { return .incomplete(missing) }
        switch stage.conclusion {
        case nil: return .pending
        case .failed(let failure): return .refused(failure)
        case .succeeded: return operation == .move && items.count < itemCount ? .partial : .complete
        }
    }

    /// Whether a copy is complete although its destination has not concluded in time. A move never is.
    var isCopied: Bool { operation == .copy && openLoads == 0 && !isUntouched && missing == nil }
}

/// The result of a drop, once nothing more can happen to it.
enum DropResult: Sendable, Equatable {
    /// There is no result yet: a load runs, or the destination has not concluded.
    case pending
    /// The destination requested nothing and took nothing.
    case untouched
    /// The destination has reported that it did not take the drop.
    case refused(Failure)
    /// Something that was requested did not arrive.
    case incomplete(Failure)
    /// A move of which the destination left some items where they are.
    case partial
    case complete
}
