import PasteboardWire

/// What is known of a drop: what was asked for, what has arrived, and what its destination says.
struct SessionDrop: Sendable {
    let visit: VisitID
    let operation: DropOperation
    /// What loads were begun of, and what ended well of it.
    private(set) var asked: Set<Part> = []
    private(set) var arrived: Set<Part> = []
    /// How the last load of the rest failed, and of a few of them the peers' words for it.
    private var codes: [Part: ErrorCode] = [:]
    private var texts: [Part: String] = [:]
    /// Items that were taken without a load.
    var taken: Set<UInt32> = []
    var openLoads = 0
    /// The start of the drop, or the end of its last load.
    var quietSince: UInt64
    /// The time of the last byte of a load, the last end of a load, or the last progress that the destination reported.
    private(set) var flowedAt: UInt64
    /// Whether the destination has reported progress. From then on only the limit `session` applies.
    private(set) var isAtWork = false
    /// The greatest progress that the destination has reported.
    private var reported: UInt64?
    /// The destination has said that its handler has returned, and that nothing is to come any more.
    var isPerformed = false
    var isConcluded = false
    /// Why the destination did not take it, and why it cannot complete it.
    var failure: Failure?
    var loss: Failure?

    /// One representation of an item.
    struct Part: Hashable, Sendable {
        let item: UInt32
        let representation: UInt32
    }

    /// Texts that are remembered: they may be long, and one of them is told.
    private static let remembered = 8

    init(visit: VisitID, operation: DropOperation, quietSince: UInt64) {
        self.visit = visit
        self.operation = operation
        self.quietSince = quietSince
        self.flowedAt = quietSince
    }

    mutating func flow(at time: UInt64) { self.flowedAt = max(self.flowedAt, time) }

    /// Takes a report of progress from the destination.
    ///
    /// - Parameter completed: the progress, in any unit. Only a value greater than all before extends the drop: a repeated
    ///   report only shows that the destination still exists.
    mutating func report(_ completed: UInt64?, at now: UInt64) {
        self.isAtWork = true
        guard let completed, completed > self.reported ?? 0 else { return }
        self.reported = completed
        self.flow(at: now)
    }

    mutating func ask(_ part: Part) { self.asked.insert(part) }

    /// A load has ended.
    ///
    /// - Parameter failure: nil if all of it is there.
    mutating func end(_ part: Part, _ failure: Failure?) {
        if let failure { return self.remember(failure, of: part) }
        self.arrived.insert(part)
        self.codes[part] = nil
        self.texts[part] = nil
    }

    /// What was there is not, after all.
    mutating func lose(_ part: Part, _ failure: Failure) {
        self.arrived.remove(part)
        self.remember(failure, of: part)
    }

    private mutating func remember(_ failure: Failure, of part: Part) {
        self.codes[part] = failure.code
        guard self.texts[part] != nil || self.texts.count < Self.remembered else { return }
        self.texts[part] = failure.text
    }

    /// Whether nothing was asked for and nothing taken.
    var isIdle: Bool { self.asked.isEmpty && self.taken.isEmpty }

    /// The items that the destination has.
    var items: Set<UInt32> { self.taken.union(self.arrived.map(\.item)) }

    /// What stands in the way of a good end; nil if what was asked for is there. Of an item that was copied one
    /// representation is enough, and others may have been tried before it; what is moved is nowhere else afterwards.
    var missing: Failure? {
        let items = self.operation == .copy ? self.items : self.taken
        let missing = self.asked.subtracting(self.arrived).filter { !items.contains($0.item) }
        guard let part = missing.min(by: { ($0.item, $0.representation) < ($1.item, $1.representation) }) else {
            return nil
        }
        let text = self.texts[part] ?? "it did not come"
        return Failure(self.codes[part] ?? .sourceFailed, "item \(UInt64(part.item) + 1) was not transferred: \(text)")
    }
}
