import Dispatch
import Glibc
import PasteboardTransport

/// The time that the body of a test may take. If it takes longer, the process ends with the test's name, because
/// nothing else can end a thread that computes or blocks.
final class TestLimit: Sendable {
    /// The limit in seconds. It only ends tests that hang: ten times as long as the slowest takes on a busy machine.
    private static let seconds = thinned(600, full: 7_200)

    private let hasEnded = Lock(false)

    /// Starts the time.
    ///
    /// - Parameter test: the name in the message.
    init(_ test: String) {
        DispatchQueue(label: "limit").asyncAfter(deadline: .now() + .seconds(Self.seconds)) { [weak self] in
            guard self?.hasEnded.withLock(\.self) == false else { return }
            let line = "test \"\(test)\" did not end within \(Self.seconds) s, so this process ends\n"
            _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            _exit(EXIT_FAILURE)
        }
    }

    /// Ends the time.
    func end() { hasEnded.withLock { $0 = true } }
}
