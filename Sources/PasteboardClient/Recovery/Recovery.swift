import PasteboardTransport
import PasteboardWire

/// The rule for lost brokers: whether a request is made again, and whether a broker may be started for it.
///
/// One table serves the command line and the library. A driver asks it after each failure, and performs the answer.
package struct Recovery: Sendable {
    /// The kind of a request.
    package enum Verb: CaseIterable, Hashable, Sendable, BitwiseCopyable {
        /// Changes nothing, and names what every broker knows: `list`, `status`, a paste from a board, a wait.
        case read
        /// May have been carried out although its answer was lost: a write, a clear, an addition, a hand-over.
        case change
        /// Names something that only this broker knows: listed contents, a drag session, a unique board.
        case bound
        /// Exists until it is ended: a publication, a watch, a destination.
        case standing
    }

    /// The progress of a request.
    package enum Reached: CaseIterable, Hashable, Sendable, BitwiseCopyable {
        /// Nothing was sent but the greeting.
        case nothing
        /// A part was sent that has no effect: a write before its commit.
        case uncommitted
        /// Sent and not answered.
        case request
        /// Bytes were passed on to the program.
        case bytes
        /// Confirmed; it stands.
        case standing
    }

    package enum Rule: Hashable, Sendable, BitwiseCopyable {
        case fail
        /// Connects as for a new request.
        case connect
        /// Makes the request once more; starts a broker for it unless the last one was stopped.
        case again
        /// Makes the request again until it stands.
        case restore(mayStart: Bool)
    }

    package enum Step: Hashable, Sendable, BitwiseCopyable {
        case fail
        /// Makes the request again over the same connection after this many milliseconds: the new contents may still
        /// have to cross a link.
        case again(after: Int)
        /// Connects after this many milliseconds, and makes the request again.
        case connect(after: Int, mayStart: Bool)
    }

    /// The largest number of connections that a client opens in a row before brokers have welcomed it.
    package static let greetings = 3
    /// The largest number of times that a request is made because contents were replaced meanwhile.
    package static let replacements = 10

    /// The largest number of times that a request is made because brokers have refused it, which end.
    package static let takeovers = 10

    package let verb: Verb
    /// Whether a standing request waits for the next broker after this one was stopped. The library does, a command
    /// does not.
    package let survivesStop: Bool
    private var repeatsLeft: Int
    private var greetingsLeft = Recovery.greetings - 1
    private var replacementsLeft = Recovery.replacements
    private var takeoversLeft = Recovery.takeovers
    /// Whether the last broker ended without being stopped, so that another one may be started.
    private var mayStart = true
    private var backoff = Backoff()

    /// - Parameter repeats: how often the request may be made again: not at all if its bytes cannot be read again, or
    ///   if its caller waits for the next broker itself.
    package init(_ verb: Verb, survivesStop: Bool = false, repeats: Int = 1) {
        self.verb = verb
        self.survivesStop = survivesStop
        repeatsLeft = repeats
    }

    /// The table.
    package static func rule(for verb: Verb, at reached: Reached, after loss: Loss) -> Rule {
        switch (reached, loss) {
        case (_, .other): .fail
        // A restoration that fails because nobody listens depends on the loss before: see `next`.
        case (.standing, .crashed), (.standing, .silent): verb == .standing ? .restore(mayStart: true) : .fail
        case (.standing, .refused), (.standing, .stopped), (.standing, .nobody):
            verb == .standing ? .restore(mayStart: false) : .fail
        case (.standing, .replaced), (.bytes, _): .fail
        case (_, .replaced): verb == .bound ? .fail : .again
        case (_, .silent), (_, .nobody): .fail
        case (.nothing, .crashed), (.nothing, .stopped): .connect
        case (_, .refused), (_, .stopped), (.uncommitted, .crashed): verb == .bound ? .fail : .again
        case (.request, .crashed): verb == .read || verb == .standing ? .again : .fail
        }
    }

    /// Decides about a failure.
    ///
    /// - Parameters:
    ///   - now: the time in nanoseconds (see `MonotonicClock`).
    ///   - random: a number from 0 to 1, which shortens the delay.
    package mutating func next(
        after loss: Loss,
        at reached: Reached,
        now: UInt64,
        random: Double
    ) -> Step {
        switch Self.rule(for: verb, at: reached, after: loss) {
        case .fail:
            return .fail
        case .connect:
            guard greetingsLeft > 0 else { return .fail }
            greetingsLeft -= 1
            return .connect(after: 0, mayStart: true)
        case .again where loss == .replaced:
            guard replacementsLeft > 0 else { return .fail }
            replacementsLeft -= 1
            return .again(after: backoff.delay(at: now, random: random))
        case .again where loss == .refused:
            // Another broker takes over, perhaps for another one after it.
            guard repeatsLeft > 0, takeoversLeft > 0 else { return .fail }
            takeoversLeft -= 1
            return .connect(after: 0, mayStart: true)
        case .again:
            guard repeatsLeft > 0 else { return .fail }
            repeatsLeft -= 1
            return .connect(after: 0, mayStart: loss != .stopped)
        case .restore(let mayStart):
            if loss == .nobody {
                guard self.mayStart || survivesStop else { return .fail }
            } else {
                if loss == .stopped, !survivesStop { return .fail }
                self.mayStart = mayStart
            }
            return .connect(after: backoff.delay(at: now, random: random), mayStart: self.mayStart)
        }
    }

    /// Lets the delays begin anew.
    package mutating func hurry() { backoff = Backoff() }

    /// Decides about a failure now.
    package mutating func next(after loss: Loss, at reached: Reached) -> Step {
        next(after: loss, at: reached, now: MonotonicClock.now(), random: .random(in: 0...1))
    }

    /// The end of the error of a request that is not made again: whether it may have been carried out.
    package func remark(after loss: Loss, at reached: Reached) -> String {
        switch (verb, reached, loss) {
        case (.change, .request, .crashed), (.change, .request, .silent):
            "; there was no answer to the request, which may have been carried out"
        default: ""
        }
    }
}
