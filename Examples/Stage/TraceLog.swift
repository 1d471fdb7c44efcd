import Glibc
public import PasteboardKit
import Synchronization

/// What a program prints: one line an event, written at once, and found again by who waits for it.
public final class TraceLog: Sendable {
    private struct Waiting {
        let beginning: String
        let continuation: CheckedContinuation<Bool, Never>
        let deadline: Task<Void, any Error>
    }

    private struct State {
        private static let memory = 10_000
        /// The lines that no wait has found yet.
        var lines: [String] = []
        var waiting: Waiting?
        /// What comes behind the line that is to be next; nil if any line may be.
        var held: [String]?
        /// What comes behind the outcome of the drag that was let go of; nil if there is none.
        var left: [String]?
        /// How many loads of each session are under way.
        var loads: [ObjectIdentifier: Int] = [:]
        /// The sessions that are over, and wait for theirs: what their `end` is, and whether they are of this process.
        var ends: [ObjectIdentifier: (line: String, isOwn: Bool)] = [:]
        var isClosed = false

        /// Prints a line, or holds it back. What a drag's own source is told is always quicker than the broker's answer.
        mutating func put(_ line: String) {
            if held != nil, !["will-begin", "will-end", "did-end"].contains(where: line.hasPrefix) {
                held?.append(line)
            } else {
                print(line)
            }
        }

        /// Prints that a session has left.
        mutating func leave(_ line: String, isOwn: Bool) {
            if isOwn, left != nil { left?.append(line) } else { put(line) }
        }

        /// Within the lock, so that lines are printed in the order in which they are found.
        mutating func print(_ line: String) {
            guard !isClosed else { return }
            StandardStreams.say("\(line)\n", on: STDOUT_FILENO)
            lines.append(line)
            // Who never waits is not to grow.
            if lines.count > 2 * Self.memory { lines.removeFirst(Self.memory) }
        }

        /// Who has waited for one of the lines, at most once.
        mutating func takeFound() -> CheckedContinuation<Bool, Never>? {
            guard let waiting, let index = lines.firstIndex(where: { $0.hasPrefix(waiting.beginning) }) else {
                return nil
            }
            lines.remove(at: index)
            waiting.deadline.cancel()
            self.waiting = nil
            return waiting.continuation
        }
    }

    private let state = Mutex(State())

    /// Begins an empty log.
    public init() {}

    /// Prints words as one line; control characters, which a peer may send as part of a name, are not printed as such.
    public func line(_ words: String?...) {
        let line = words.compactMap(\.self).joined(separator: " ").oneLine
        change { $0.put(line) }
    }

    /// Prints the line of a step, and what the step sets off behind it: which of these lines is quicker than the answer to
    /// the step is a matter of chance, and the same script is to print the same lines.
    ///
    /// - Parameter endsDrag: the step lets go of the drag.
    func line(endsDrag: Bool = false, ahead step: () async throws -> String) async rethrows {
        change { state in
            state.held = []
            if endsDrag, state.left == nil { state.left = [] }
        }
        var line: String?
        defer { goOn(behind: line) }
        line = try await step()
    }

    private func goOn(behind line: String?) {
        change { state in
            let held = state.held ?? []
            state.held = nil
            for line in [line?.oneLine].compactMap(\.self) + held { state.print(line) }
        }
    }

    /// Prints what has become of the drag.
    func outcome(_ words: String) {
        change { state in
            for line in ["outcome \(words)"] + (state.left ?? []) { state.put(line) }
            state.left = nil
        }
    }

    /// Prints `exit`: a session has left. One of this process's own that was let go of has it, and its `end`, behind its
    /// outcome: which of the two is quicker is a matter of chance, too.
    @MainActor
    public func exit(_ label: String?, _ session: any DropSession) {
        let isOwn = session.localDragSession != nil
        change { $0.leave(["exit", label].compactMap(\.self).joined(separator: " "), isOwn: isOwn) }
    }

    /// Prints `end`: a session is over. It comes behind all that its loads have come to; one that fails ends the session, and
    /// others go on.
    @MainActor
    public func end(_ label: String?, _ session: any DropSession) {
        let line = ["end", label].compactMap(\.self).joined(separator: " ")
        let (id, isOwn) = (ObjectIdentifier(session), session.localDragSession != nil)
        change { state in
            if state.loads[id] == nil { state.leave(line, isOwn: isOwn) } else { state.ends[id] = (line, isOwn) }
        }
    }

    /// A load of a session begins. The session has to be held until ``loaded(_:)``.
    @MainActor
    public func load(_ session: any DropSession) {
        change { $0.loads[ObjectIdentifier(session), default: 0] += 1 }
    }

    /// It is over, and what it has come to was printed.
    @MainActor
    public func loaded(_ session: any DropSession) {
        let id = ObjectIdentifier(session)
        change { state in
            let count = (state.loads[id] ?? 1) - 1
            state.loads[id] = count == 0 ? nil : count
            guard count == 0, let end = state.ends.removeValue(forKey: id) else { return }
            state.leave(end.line, isOwn: end.isOwn)
        }
    }

    /// Prints the last line.
    func close(_ line: String) {
        change { state in
            state.print(line)
            state.isClosed = true
        }
    }

    /// Returns once a line that begins so has been printed that no wait has found yet: each line is found once. It does not
    /// matter in which order lines come that are waited for one after the other.
    ///
    /// - Throws: `timeout` if there is none after so long.
    func wait(for beginning: String, atMost patience: Duration) async throws(PasteboardError) {
        let isFound = await withCheckedContinuation { continuation in
            change { state in
                let deadline = Task {
                    try await Task.sleep(for: patience)
                    self.giveUp()
                }
                state.waiting = Waiting(beginning: beginning, continuation: continuation, deadline: deadline)
            }
        }
        guard !isFound else { return }
        throw PasteboardError(
            .timeout,
            message: "no line that begins with `\(beginning)` has come for \(patience.components.seconds) s"
        )
    }

    private func giveUp() {
        let waiting = state.withLock { state -> Waiting? in
            // It was found just now, and perhaps another one is waited for.
            guard !Task.isCancelled else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.continuation.resume(returning: false)
    }

    private func change(_ body: (inout State) -> Void) {
        let found = state.withLock { state in
            body(&state)
            return state.takeFound()
        }
        found?.resume(returning: true)
    }
}

extension String {
    /// With a question mark for each character that would not stay on a line: what ends one, and what turns it around.
    fileprivate var oneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.staysOnLine ? $0 : "?" }))
    }
}

extension Unicode.Scalar {
    fileprivate var staysOnLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The marks for the direction of a text, U+061C, U+200E and U+200F, change no order beyond their neighbours.
        default: !(0x202A...0x202E).contains(value) && !(0x2066...0x2069).contains(value)
        }
    }
}
