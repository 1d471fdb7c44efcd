import Glibc
import PasteboardTransport
import PasteboardWire

/// One load of an offer: a shell command that runs, and the ask that its output answers.
final class OfferedLoad {
    /// From the request to end to the demand.
    private static let grace = 2_000

    /// Nil once nobody wants the bytes any more.
    private(set) var ask: UInt64?
    let type: String
    private(set) var byteCount: UInt64 = 0
    /// When the broker has to hear that the command still works (see `MonotonicClock`).
    private(set) var nextSign: UInt64
    private let signInterval: Int

    private let child: ChildProcess
    private let end: OwnedDescriptor
    private let output: OwnedDescriptor
    private let errors: OwnedDescriptor
    private var outputHasEnded = false
    private var errorsHaveEnded = false
    private var childHasEnded = false
    private var lastLine = LastLine()
    /// When it is killed that was told to end.
    private(set) var killTime: UInt64?

    init(ask: UInt64, type: String, command: String, signInterval: Int) throws(SystemError) {
        var configuration = ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", command])
        let output = try System.pipe()
        let errors = try System.pipe()
        configuration.output = .descriptor(output.second.raw)
        configuration.errors = .descriptor(errors.second.raw)
        // To end the command together with what it has started.
        configuration.inNewGroup = true
        self.child = try ChildProcess(configuration)
        self.end = try System.processDescriptor(self.child.id)
        // The writing ends close here, else the end of the output would never come.
        self.output = output.keepingFirst()
        self.errors = errors.keepingFirst()
        self.ask = ask
        self.type = type
        self.signInterval = signInterval
        self.nextSign = MonotonicClock.deadline(milliseconds: signInterval)
    }

    enum Stream {
        case output
        case errors
        case end
    }

    /// What to wait for.
    ///
    /// - Parameter takesOutput: whether the broker takes bytes now.
    func interests(takesOutput: Bool) -> [(Stream, PollInterest)] {
        var interests: [(Stream, PollInterest)] = []
        if !self.outputHasEnded, takesOutput { interests.append((.output, PollInterest(self.output.raw, .readable))) }
        if !self.errorsHaveEnded { interests.append((.errors, PollInterest(self.errors.raw, .readable))) }
        if !self.childHasEnded { interests.append((.end, PollInterest(self.end.raw, .readable))) }
        return interests
    }

    /// The next bytes of the output; empty at its end.
    func readOutput(upTo limit: Int) throws(SystemError) -> [UInt8] {
        let bytes = try System.read(self.output.raw, upTo: limit)
        self.outputHasEnded = bytes.isEmpty
        self.byteCount += UInt64(bytes.count)
        if !bytes.isEmpty { self.noteSign() }
        return bytes
    }

    /// What the command complains about is its caller's to read as well.
    func readErrors() throws(SystemError) {
        let bytes = try System.read(self.errors.raw, upTo: 4096)
        self.errorsHaveEnded = bytes.isEmpty
        self.lastLine.append(bytes)
        try? System.write(bytes.span, to: 2)
    }

    /// The process has ended. Its number stays taken, so that its group can still be told to end.
    func noteEnd() {
        self.childHasEnded = true
    }

    /// As `noteEnd`, if it is so.
    func noteEndIfOver() {
        let ready = try? System.poll([PollInterest(self.end.raw, .readable)], milliseconds: 0)
        if let ready, !ready[0].isEmpty { self.noteEnd() }
    }

    func noteSign() {
        self.nextSign = MonotonicClock.deadline(milliseconds: self.signInterval)
    }

    /// Whether the command has ended and nothing of its output is left. Something that it left behind may keep its
    /// standard error open: that is not waited for.
    var isComplete: Bool { self.childHasEnded && (self.outputHasEnded || self.ask == nil) }

    /// How the command ended, once `isComplete`; nil if it went well.
    func failure() -> Failure? {
        while !self.errorsHaveEnded, self.errorsAreReady { try? self.readErrors() }
        let status: CInt
        let how: String
        switch try? self.child.wait() {
        case .exited(0): return nil
        case .exited(let code): (status, how) = (code, "ended with status \(code)")
        case .signaled(let signal): (status, how) = (128 + signal, "was ended by signal \(signal)")
        case nil: (status, how) = (-1, "could not be waited for")
        }
        let line = self.lastLine.text
        return Failure(
            .sourceFailed,
            "the command for \(self.type) \(how)\(line.isEmpty ? "" : ": \(line)")",
            source: SourceFailure(domain: "pasteboard.offer", code: Int64(status), message: line)
        )
    }

    private var errorsAreReady: Bool {
        let ready = try? System.poll([PollInterest(self.errors.raw, .readable)], milliseconds: 0)
        return !(ready?.first?.isEmpty ?? true)
    }

    /// Nobody wants the bytes any more: asks the command to end, and insists a little later.
    func stop() {
        guard self.ask != nil else { return }
        self.ask = nil
        self.killTime = MonotonicClock.deadline(milliseconds: Self.grace)
        try? self.child.killGroup(SIGTERM)
    }

    func kill() {
        self.killTime = nil
        try? self.child.killGroup(SIGKILL)
    }

    /// After `isComplete`, for one that was stopped: what is left of its group ends now.
    func finishStopping() {
        self.kill()
        _ = try? self.child.wait()
    }
}
