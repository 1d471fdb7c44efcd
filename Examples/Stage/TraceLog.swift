import Glibc
public import PasteboardKit
import Synchronization

/// The output of a program: one line for each event, printed without delay. Steps can wait for a line.
public final class TraceLog: Sendable {
    private struct Waiting {
        let beginning: String
        let continuation: CheckedContinuation<Bool, Never>
        let deadline: Task<Void, any Error>
    }

    private struct State {
        /// The lines that no wait has used yet.
        var lines: [String] = []
        var waiting: Waiting?
        /// The lines to print after the line of the current step; nil if no step holds lines back.
        var held: [String]?
        /// The lines to print after the outcome of the drag that was dropped or cancelled; nil if there is no such
        /// drag.
        var left: [String]?
        /// The number of loads in progress for each session.
        var loads: [ObjectIdentifier: Int] = [:]
        /// The sessions that have ended while their loads continue: the `end` line of each, and whether the session is
        /// of this process.
        var ends: [ObjectIdentifier: (line: String, isOwn: Bool)] = [:]
        var isClosed = false

        /// Prints a line, or holds it back. Notifications of a drag's own source are not held back: they always precede
        /// the broker's answer.
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

        /// Writes the line while holding the lock, so that lines are printed in the order in which waits find them.
        mutating func print(_ line: String) {
            guard !isClosed else { return }
            StandardStreams.say("\(line)\n", on: STDOUT_FILENO)
            lines.append(line)
        }

        /// The continuation of the wait that a line satisfies. It is returned at most once.
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

    /// Prints words as one line. Control characters, which a peer may send as part of a name, are replaced.
    public func line(_ words: String?...) {
        let line = words.compactMap(\.self).joined(separator: " ").oneLine
        change { $0.put(line) }
    }

    /// Prints the line of a step before the lines that the step causes. Otherwise their order would depend on timing,
    /// and the same script must always print the same lines.
    ///
    /// - Parameter endsDrag: whether the step drops or cancels the drag.
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

    /// Prints the outcome of the drag.
    func outcome(_ words: String) {
        change { state in
            for line in ["outcome \(words)"] + (state.left ?? []) { state.put(line) }
            state.left = nil
        }
    }

    /// Prints `exit`: a session has left. For a session of this process that was dropped or cancelled, `exit` and `end`
    /// are printed after the outcome. Otherwise their order would depend on timing.
    @MainActor
    public func exit(_ label: String?, _ session: any DropSession) {
        let isOwn = session.localDragSession != nil
        change { $0.leave(["exit", label].compactMap(\.self).joined(separator: " "), isOwn: isOwn) }
    }

    /// Prints `end`: a session has ended. The line follows those of all loads of the session. A failed load ends the
    /// session while other loads continue.
    @MainActor
    public func end(_ label: String?, _ session: any DropSession) {
        let line = ["end", label].compactMap(\.self).joined(separator: " ")
        let (id, isOwn) = (ObjectIdentifier(session), session.localDragSession != nil)
        change { state in
            if state.loads[id] == nil { state.leave(line, isOwn: isOwn) } else { state.ends[id] = (line, isOwn) }
        }
    }

    /// Records that a load of a session begins. The caller has to keep the session until ``loaded(_:)``.
    @MainActor
    public func load(_ session: any DropSession) {
        change { $0.loads[ObjectIdentifier(session), default: 0] += 1 }
    }

    /// Records that a load has ended and that its result was printed.
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

    /// Waits until a line with this beginning has been printed. Each line satisfies one wait, so the order in which a
    /// script waits for several lines does not matter.
    ///
    /// - Throws: `timeout` if there is no such line in time.
    func wait(for beginning: String, atMost timeout: Duration) async throws(PasteboardError) {
        let isFound = await withCheckedContinuation { continuation in
            change { state in
                let deadline = Task {
                    try await Task.sleep(for: timeout)
                    self.giveUp()
                }
                state.waiting = Waiting(beginning: beginning, continuation: continuation, deadline: deadline)
            }
        }
        guard !isFound else { return }
        throw PasteboardError(
            .timeout,
            message: "no line that begins with `\(beginning)` has come for \(timeout.components.seconds) s"
        )
    }

    private func giveUp() {
        let waiting = state.withLock { state -> Waiting? in
            // The line was found in the meantime, and another wait may have begun.
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
    /// The text with a question mark in place of each character that could end the line or change its direction.
    fileprivate var oneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.staysOnLine ? $0 : "?" }))
    }
}

extension Unicode.Scalar {
    fileprivate var staysOnLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        // The direction marks U+061C, U+200E and U+200F affect only their neighbours.
        default: !(0x202A...0x202E).contains(value) && !(0x2066...0x2069).contains(value)
        }
    }
}
