import PasteboardClient
import PasteboardWire

/// A call of the program that waits for the broker: its name in errors and its timeout.
///
/// One value serves the whole call, from connecting to the last answer: the timeout covers all of it, not each step.
package struct Call: Sendable {
    private let name: String
    private let other: String?

    /// The deadline; nil without a timeout.
    let deadline: LoadDeadline?

    /// - Parameters:
    ///   - name: the subject of a sentence: "the write".
    ///   - other: an object that continues when the call fails, for the message: "the drag".
    package init(_ name: String, besides other: String? = nil, timeout: Duration? = nil) {
        self.name = name
        self.other = other
        deadline = timeout.map(LoadDeadline.init)
    }

    /// The error of a call whose task was cancelled.
    var cancelled: PasteboardError { error(.cancelled, "was cancelled") }

    /// The error of a call that has taken too long.
    var timedOut: PasteboardError { error(.timeout, "did not end within \(deadline?.timeout ?? .zero)") }

    /// The deadline for waits of the engine (see `MonotonicClock`).
    var end: UInt64 { deadline?.end ?? .max }

    /// Whether the deadline has passed.
    var isOver: Bool { deadline?.left == .zero }

    /// Throws if the call is over before it begins.
    func check() throws(PasteboardError) {
        if Task.isCancelled { throw cancelled }
        if isOver { throw timedOut }
    }

    /// The error of a part of the call.
    func error(of error: any Error) -> PasteboardError {
        switch error {
        case let error as PasteboardError where error.code == .timeout && isOver: timedOut
        case let error as PasteboardError where error.code == .cancelled && Task.isCancelled: cancelled
        case let error as PasteboardError: error
        case let error as RequestFailure: self.error(of: error.failure)
        case let failure as Failure: self.error(of: failure)
        default: PasteboardError(.brokerUnavailable, message: "\(error)")
        }
    }

    /// The error of a request of the engine that is a part of the call.
    func error(of failure: Failure) -> PasteboardError {
        switch failure.code {
        case .cancelled where Task.isCancelled: cancelled
        // A text that begins with that of `timedOut` may end with a remark of `Recovery`.
        case .timeout where isOver && !failure.text.hasPrefix(timedOut.message): timedOut
        default: PasteboardError(failure)
        }
    }

    /// Returns the error of a load that is a part of the call. The load's own error would name the time that was left,
    /// which is not the timeout that the caller passed.
    func error(ofLoad error: PasteboardError) -> PasteboardError {
        // Without a timeout of the call, the error is that of a limit of the broker.
        deadline != nil && error.code == .timeout ? timedOut : error
    }

    private func error(_ code: PasteboardError.Code, _ end: String) -> PasteboardError {
        PasteboardError(code, message: "\(name) \(end)" + (other.map { "; \($0) continues" } ?? ""))
    }
}

extension PendingResult {
    /// Makes the request with `start` and waits for the result, for the task's cancellation or for the call's deadline,
    /// whichever is first.
    ///
    /// - Parameter abandon: withdraws the request after a cancellation or timeout.
    func value(
        for call: Call,
        abandon: @escaping @Sendable () -> Void,
        start: () -> Void
    ) async throws(PasteboardError) -> Value {
        let end: @Sendable (PasteboardError) -> Void = { error in
            if self.resolve(.failure(error)) { abandon() }
        }
        // A timer with no time left would race with the broker's answer.
        if call.deadline?.left == .zero { end(call.timedOut) }
        let timer = call.deadline?.timer { end(call.timedOut) }
        defer { timer?.cancel() }
        return try await value(onCancel: { end(call.cancelled) }, start: start)
    }

    /// Waits for the result of a request that was already made. Cancellation and timeout do not withdraw the request.
    func value(for call: Call) async throws(PasteboardError) -> Value {
        try await value(for: call, abandon: {}, start: {})
    }
}
