package import PasteboardTransport
package import PasteboardWire

/// One load, from its answer to its end. Its driver passes the bytes on.
package struct LoadOperation: Sendable {
    /// The consequence of an event. It contains only numbers, so that it costs nothing to return.
    package enum Step: Equatable, Sendable {
        case none
        /// The source has answered; see `answer` and `byteCount`.
        case answered
        /// These bytes of the buffer belong to the load. Unless they are the last, the driver calls
        /// `ClientState.consumed` when the program has consumed them.
        case bytes(Range<Int>)
        /// The source has reported progress.
        case progress
        /// There is an `end`.
        case over
    }

    package enum End: Sendable {
        case complete
        /// All bytes are in a file, which the answer describes.
        indirect case passed(DescriptorBox, Answer)
        /// There are more bytes than the load accepts. Those that follow are dropped, and the driver cancels the load.
        case tooLarge
        indirect case failed(Failure)
    }

    /// The answer; nil before it, and if it only repeats the request and is not kept. A driver may take it.
    package var answer: Answer?
    /// The size, if the source has announced it.
    package private(set) var byteCount: UInt64?
    /// nil while the load is under way. A driver may take it.
    package var end: End?
    private var received: UInt64 = 0
    /// The progress that the source has reported. From then on the number of bytes does not count as progress.
    private var reported: (completed: UInt64, total: UInt64?)?
    private var hasProgress = false
    private var hasReport = false
    private let expected: String
    private let keepsAnswer: Bool
    private var maximum: UInt64

    /// - Parameters:
    ///   - expected: the requested type.
    ///   - keepsAnswer: whether the answer is kept even if it contains nothing new, as nearly all do.
    ///   - maximum: the largest number of bytes that is accepted.
    package init(expecting expected: String?, keepsAnswer: Bool = true, maximum: UInt64 = .max) {
        self.expected = expected ?? ""
        self.keepsAnswer = keepsAnswer
        self.maximum = maximum
    }

    package mutating func handle(_ event: ClientEvent, in bytes: Span<UInt8>) -> Step {
        switch event {
        case .data(_, let payload, let isLast):
            received &+= UInt64(truncatingIfNeeded: payload.count)
            guard received <= maximum else { return refuse() }
            hasProgress = true
            if isLast { end = .complete }
            return .bytes(payload)
        case .answered(_, let fields):
            byteCount = fields.byteCount
            // Compared where it lies.
            if keepsAnswer || fields.content != nil || !fields.hasType(expected, in: bytes) {
                answer = Answer(fields, in: bytes, expecting: expected)
            }
            return byteCount ?? 0 <= maximum ? .answered : refuse()
        case .progress(_, let progress):
            // A report without a number only says that the load goes on.
            guard let completed = progress.completed else { return .none }
            (reported, hasProgress, hasReport) = ((completed, progress.total), true, true)
            return .progress
        case .passed(_, let answer, let descriptor):
            byteCount = answer.byteCount
            end = byteCount ?? 0 <= maximum ? .passed(descriptor, answer) : .tooLarge
        case .ended: end = end ?? .complete
        case .failed(_, let failure): fail(failure)
        default: return .none
        }
        return .over
    }

    /// The stream or the whole connection has failed. Only the first end counts.
    package mutating func fail(_ failure: Failure) {
        end = end ?? .failed(failure)
    }

    @inline(never)
    private mutating func refuse() -> Step {
        (maximum, end) = (0, .tooLarge)
        return .over
    }

    /// Whether there is an answer, an end, or a report of the source that was not taken.
    var isNews: Bool {
        // `mutating`, because a borrowing call would copy the operation for its callee.
        mutating get { end != nil || answer != nil || hasReport }
    }

    /// Takes the source's report since the last call; nil if there was none.
    mutating func takeReport() -> (completed: UInt64, total: UInt64?)? {
        guard exchange(&hasReport, with: false) else { return nil }
        return reported
    }

    /// Takes the progress since the last call; nil if there was none.
    package mutating func takeProgress() -> (completed: UInt64, total: UInt64?)? {
        guard exchange(&hasProgress, with: false) else { return nil }
        return reported ?? (received, byteCount)
    }
}
