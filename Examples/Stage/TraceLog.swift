import Glibc
import Synchronization

/// What a program prints: one line an event, written at once, and found again by who waits for it.
public final class TraceLog: Sendable {
    private struct State {
        /// The lines that no wait has found yet.
        var lines: [String] = []
        var waiting: (beginning: String, continuation: CheckedContinuation<Void, Never>)?

        /// Who has waited for one of the lines, at most once.
        mutating func takeFound() -> CheckedContinuation<Void, Never>? {
            guard let (beginning, continuation) = waiting else { return nil }
            guard let index = lines.firstIndex(where: { $0.hasPrefix(beginning) }) else { return nil }
            lines.remove(at: index)
            waiting = nil
            return continuation
        }
    }

    private let state = Mutex(State())

    /// Begins an empty log.
    public init() {}

    /// Prints words as one line; control characters, which a peer may send as part of a name, are not printed as such.
    public func line(_ words: String?...) {
        let line = words.compactMap(\.self).joined(separator: " ").oneLine
        let found = state.withLock { state in
            // Within the lock, so that the lines are printed in the order in which they are found.
            StandardStreams.say("\(line)\n", on: STDOUT_FILENO)
            state.lines.append(line)
            return state.takeFound()
        }
        found?.resume()
    }

    /// Returns once a line that begins so has been printed that no wait has found yet: each line is found once. It does not
    /// matter in which order lines come that are waited for one after the other.
    public func wait(for beginning: String) async {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state in
                state.waiting = (beginning, continuation)
                return state.takeFound()
            }
            found?.resume()
        }
    }
}

extension String {
    /// With each control character as a question mark.
    fileprivate var oneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }
}
