import PasteboardWire

/// Success or failure, as a destination reports it twice: when its handler has returned, and when it has concluded.
enum DropReport: Sendable, Equatable {
    /// May be replaced by a failure.
    case succeeded
    /// Final: a later report changes nothing.
    case failed(Failure)

    init(_ failure: Failure?) { self = failure.map(Self.failed) ?? .succeeded }

    var failure: Failure? {
        guard case .failed(let failure) = self else { return nil }
        return failure
    }
}

/// A message of a destination that closes the drop window, if that is open.
enum DestinationReport: Sendable, Equatable {
    /// The destination's handler has returned.
    case performed(DropReport)
    /// The destination has the items that it requested, or has failed to take them.
    case concluded(DropReport)
}

/// The stage of a drop whose window is closed.
///
///     performed ──conclude──▶ concluded
///
/// A destination may conclude before its handler has returned. Either report is accepted once, and once more if the
/// first was a success and the second is a failure.
enum TransferStage: Sendable, Equatable {
    /// The handler has returned.
    /// → performed (a failure), concluded
    case performed(DropReport)
    /// The destination has concluded: the drop ends with its last load. `handler` is nil while the handler still runs.
    /// → concluded (the handler's report, or a failure), over
    case concluded(DropReport, handler: DropReport?)

    /// The report of the handler; nil while it runs.
    var handler: DropReport? {
        switch self {
        case .performed(let report): report
        case .concluded(_, let handler): handler
        }
    }

    /// The conclusion; nil before it has arrived.
    var conclusion: DropReport? {
        switch self {
        case .performed: nil
        case .concluded(let conclusion, _): conclusion
        }
    }

    /// Whether a report adds something to the earlier ones.
    func accepts(_ report: DestinationReport) -> Bool {
        switch report {
        case .performed(let report): Self.isNews(report, after: handler)
        case .concluded(let report): Self.isNews(report, after: conclusion)
        }
    }

    /// Handles a report that it accepts.
    mutating func handle(_ report: DestinationReport) {
        guard accepts(report) else { return }
        switch (report, self) {
        case (.performed(let report), .performed): self = .performed(report)
        case (.performed(let report), .concluded(let conclusion, _)): self = .concluded(conclusion, handler: report)
        case (.concluded(let report), _): self = .concluded(report, handler: handler)
        }
    }

    private static func isNews(_ report: DropReport, after known: DropReport?) -> Bool {
        switch (known, report) {
        case (nil, _), (.succeeded, .failed): true
        case (.succeeded, .succeeded), (.failed, _): false
        }
    }
}
