import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The options of this run of the program that every command has in common.
struct Invocation {
    private static let stored = Lock(Invocation())

    /// The options of this process.
    static var current: Invocation {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    /// The name of the command in messages; nil if it has none.
    var command: String?
    /// Whether results and errors are printed as JSON.
    var isJSON = false
    /// Whether notes are left out.
    var isQuiet = false
    /// The time at which the command ends with `timeout` (see `MonotonicClock`).
    var deadline = UInt64.max

    /// The start of messages: `pasteboard: copy: `.
    var prefix: String { "pasteboard: " + (command.map { "\($0): " } ?? "") }

    /// Throws `timeout` if the time is over.
    ///
    /// - Parameter failure: the failure after which the command waits, if any.
    func check(after failure: Failure? = nil) throws {
        guard MonotonicClock.isOver(deadline) else { return }
        throw Failure(.timeout, (failure.map { "\($0.text), and " } ?? "") + "the time allowed is over")
    }

    /// Calls `end` on a thread of its own after the deadline, if the command has one then. What the command itself does
    /// at its deadline says more and removes its files, so it has 250 ms for that.
    func watch(_ end: @escaping @Sendable () -> Void) throws {
        guard deadline < .max else { return }
        let time = deadline.addingClamped(250_000_000)
        try SystemThread(name: "deadline") {
            while MonotonicClock.now() < time {
                _ = try? System.poll([], milliseconds: Int(MonotonicClock.millisecondsLeft(until: time)))
            }
            end()
        }.detach()
    }
}

extension CommandSyntax.Option {
    static let timeout = Self("--timeout", value: "DURATION", "the maximum duration, after which it ends with 7")
}
