import Glibc
import PasteboardTransport
import PasteboardWire

/// One ask that is answered with the output of a program: a shell command, or the archiver of a folder.
final class ServedProgram {
    struct Configuration {
        var process: ChildProcess.Configuration
        /// The name in messages.
        let name: String
        let complaint: ComplaintLine.Choice
    }

    /// The time between SIGTERM and SIGKILL, in milliseconds.
    private static let grace = 2_000

    /// The stream of the ask; nil once the ask was cancelled.
    private(set) var ask: UInt64?
    let record: AskRecord
    private let name: String
    private(set) var byteCount: UInt64 = 0
    /// The time at which progress is reported to the broker next (see `MonotonicClock`).
    private(set) var nextReport: UInt64
    private let reportInterval: Int

    private let child: ChildProcess
    private let end: OwnedDescriptor
    private let output: OwnedDescriptor
    private let errors: OwnedDescriptor
    private var outputHasEnded = false
    private var errorsHaveEnded = false
    /// Whether the process has ended. It is not reaped yet, so its id stays in use and its group can be signalled.
    private var childHasEnded = false
    private var complaint: ComplaintLine
    /// The time at which a program that was asked to end is killed.
    private(set) var killTime: UInt64?

    init(
        _ configuration: Configuration,
        ask: UInt64,
        record: AskRecord,
        reportInterval: Int
    ) throws(SystemError) {
        var process = configuration.process
        let output = try System.pipe()
        let errors = try System.pipe()
        process.output = .descriptor(output.second.raw)
        process.errors = .descriptor(errors.second.raw)
        // In its own process group a signal ends the program together with its children.
        process.inNewGroup = true
        child = try ChildProcess(process)
        end = try System.processDescriptor(child.id)
        // The write ends are closed here; otherwise the end of the output would never be seen.
        self.output = output.keepingFirst()
        self.errors = errors.keepingFirst()
        self.ask = ask
        self.record = record
        name = configuration.name
        complaint = ComplaintLine(configuration.complaint)
        self.reportInterval = reportInterval
        nextReport = MonotonicClock.deadline(milliseconds: reportInterval)
    }

    enum Stream {
        case output
        case errors
        case end
    }

    /// The descriptors to wait for.
    ///
    /// - Parameter takesOutput: whether the broker takes bytes now.
    func interests(takesOutput: Bool) -> [(Stream, PollInterest)] {
        var interests: [(Stream, PollInterest)] = []
        if !outputHasEnded, takesOutput { interests.append((.output, PollInterest(output.raw, .readable))) }
        if !errorsHaveEnded { interests.append((.errors, PollInterest(errors.raw, .readable))) }
        if !childHasEnded { interests.append((.end, PollInterest(end.raw, .readable))) }
        return interests
    }

    /// The next bytes of the output; empty at its end.
    func readOutput(upTo limit: Int) throws(SystemError) -> [UInt8] {
        let bytes = try System.read(output.raw, upTo: limit)
        outputHasEnded = bytes.isEmpty
        byteCount += UInt64(bytes.count)
        if !bytes.isEmpty { recordReport() }
        return bytes
    }

    /// Handles what is ready.
    ///
    /// - Parameter takeOutput: called if it is the output.
    func handle(_ stream: Stream, takeOutput: () throws -> Void) throws {
        switch stream {
        case .output: try takeOutput()
        case .errors: try readErrors()
        case .end: childHasEnded = true
        }
    }

    /// Reads standard error, and writes it to that of this process as well.
    private func readErrors() throws(SystemError) {
        let bytes = try System.read(errors.raw, upTo: 4096)
        errorsHaveEnded = bytes.isEmpty
        complaint.append(bytes)
        try? System.write(bytes.span, to: 2)
    }

    /// Records the end of the process if it has ended.
    func recordEndIfOver() {
        childHasEnded = childHasEnded || isReady(end.raw)
    }

    /// Records the end of the output if the program has ended and nothing is left to read. The end needs no credit: a
    /// destination may grant exactly as many bytes as there are.
    func recordEndOfOutputIfOver() {
        guard childHasEnded, !outputHasEnded else { return }
        let ready = try? System.poll([PollInterest(output.raw, .readable)], milliseconds: 0)
        outputHasEnded = ready?.first == .ended
    }

    func recordReport() {
        nextReport = MonotonicClock.deadline(milliseconds: reportInterval)
    }

    /// Whether the program has ended and all of its output was read. The end of standard error is not awaited, because
    /// a child of the program may keep it open.
    var isComplete: Bool { childHasEnded && (outputHasEnded || ask == nil) }

    /// The failure of the program, once `isComplete`; nil if it succeeded.
    func failure() -> Failure? {
        while !errorsHaveEnded, isReady(errors.raw) { try? readErrors() }
        let end = try? child.wait()
        guard end != .exited(0) else { return nil }
        let how = end?.description ?? "could not be waited for"
        let line = complaint.text
        return Failure(
            .sourceFailed,
            "\(name) \(how)\(line.isEmpty ? "" : ": \(line)")",
            source: SourceFailure(domain: "pasteboard.program", code: Int64(end?.exitCode ?? -1), message: line)
        )
    }

    private func isReady(_ descriptor: CInt) -> Bool {
        let ready = try? System.poll([PollInterest(descriptor, .readable)], milliseconds: 0)
        return !(ready?.first?.isEmpty ?? true)
    }

    /// Asks the program to end after its ask was cancelled, and sets the time at which it is killed.
    func stop() {
        guard ask != nil else { return }
        ask = nil
        killTime = MonotonicClock.deadline(milliseconds: Self.grace)
        try? child.killGroup(SIGTERM)
    }

    func kill() {
        killTime = nil
        try? child.killGroup(SIGKILL)
    }

    /// Kills the rest of the group of a program that was stopped and `isComplete`.
    func finishStopping() {
        kill()
        _ = try? child.wait()
    }
}
