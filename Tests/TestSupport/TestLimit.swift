import Dispatch
import Glibc
import PasteboardTransport

/// The time that the body of a test may take. A body that exceeds it is cancelled; if it then does not end either, the
/// process ends with the test's name, because nothing else can end a thread that computes or blocks.
final class TestLimit: Sendable {
    /// The limit in seconds. It only ends tests that hang: ten times as long as the slowest takes on a busy machine.
    static let seconds = thinned(600, full: 7_200)
    /// The time in seconds that a cancelled test has for its end.
    private static let grace = 60

    private struct State {
        var isExceeded = false
        var hasEnded = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    private let test: String

    /// - Parameter test: the name in the messages.
    init(_ test: String) {
        self.test = test
    }

    var isExceeded: Bool { state.withLock(\.isExceeded) }

    /// - Parameter cancel: is called at most once, and not after `end()`.
    func start(cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.cancel = cancel }
        Self.after(Self.seconds) { [weak self] in self?.exceed() }
    }

    func end() {
        state.withLock { state in
            state.hasEnded = true
            state.cancel = nil
        }
    }

    private func exceed() {
        let isRunning = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.isExceeded = true
            state.cancel?()
            return true
        }
        guard isRunning else { return }
        report("did not end within \(Self.seconds) s")
        Self.after(Self.grace) { [weak self] in
            guard let self, !state.withLock(\.hasEnded) else { return }
            report("did not end after it was cancelled, so this process ends")
            _exit(70)
        }
    }

    private func report(_ text: String) {
        let line = "test \"\(test)\" \(text)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    private static func after(_ seconds: Int, _ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "limit").asyncAfter(deadline: .now() + .seconds(seconds), execute: work)
    }
}
