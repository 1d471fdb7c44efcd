import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A program whose output is sent or kept: a shell command, or the archiver of a folder. If it is released before its
/// end, it is ended.
final class ServedProgram {
    private enum Stream {
        case output
        case errors
        case end
    }

    private let name: String
    private let programs: RunningPrograms
    private let child: ChildProcess
    private let end: DescriptorBox
    private let output: OwnedDescriptor
    private let errors: OwnedDescriptor
    private var outputHasEnded = false
    private var errorsHaveEnded = false
    /// Whether the process has ended. It is not reaped yet, so its id stays in use and its group can be signalled.
    private var childHasEnded = false
    /// Whether its id may be that of another process. What it has left in the background goes on.
    private var isReaped = false
    private var complaint: ComplaintLine
    private(set) var byteCount: UInt64 = 0

    /// Starts the program of an origin that has one.
    init(_ origin: PromisedOrigin, _ programs: RunningPrograms) throws {
        var process: ChildProcess.Configuration
        switch origin {
        case .command(let command, let type):
            process = ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", command])
            name = "the command for \(type)"
            complaint = ComplaintLine(.last)
        case .folder(let folder, let name):
            process = try folder.archiver()
            self.name = "archiving \(name)"
            complaint = ComplaintLine(.first)
        case .archive(let command, let name):
            process = ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", command])
            self.name = "archiving \(name)"
            complaint = ComplaintLine(.first)
        case .file: throw Failure(.sourceFailed, "a file is no program")
        }
        let output = try System.pipe()
        let errors = try System.pipe()
        process.output = .descriptor(output.second.raw)
        process.errors = .descriptor(errors.second.raw)
        // In its own process group a signal ends the program together with its children.
        process.inNewGroup = true
        (child, end) = try programs.start(process)
        // The write ends are closed here; otherwise the end of the output would never be seen.
        self.output = output.keepingFirst()
        self.errors = errors.keepingFirst()
        self.programs = programs
    }

    deinit { if !isReaped { programs.end(child, end) } }

    /// The next bytes of the output.
    ///
    /// - Returns: nil if the program has ended and all of its output was read. The end of standard error is not
    ///   awaited, because a child of the program may keep it open.
    func next() async throws -> [UInt8]? {
        while !isComplete {
            let streams = interests(takesOutput: true)
            guard let ready = await programs.loop.first(of: streams.map(\.1)) else {
                throw Failure(.cancelled, "interrupted")
            }
            if let bytes = try handle(streams[ready].0, upTo: WireLimits.dataLength) { return bytes }
        }
        return nil
    }

    /// The next bytes of the output for an ask, as many as it has room for.
    ///
    /// - Parameter interval: the longest time between progress reports for a program without output, in milliseconds.
    func next(for ask: AskStream, reportingEach interval: Int) async throws -> [UInt8]? {
        var nextReport = MonotonicClock.deadline(milliseconds: interval)
        while !isComplete {
            let room = ask.room
            let streams = interests(takesOutput: room > 0)
            try await ask.wait(forRoom: room == 0, or: streams.map(\.1), until: nextReport)
            if MonotonicClock.isOver(nextReport) {
                ask.report(completed: byteCount)
                nextReport = MonotonicClock.deadline(milliseconds: interval)
            }
            let ready = try System.poll(streams.map(\.1), milliseconds: 0)
            for ((stream, _), readiness) in zip(streams, ready) where !readiness.isEmpty {
                if let bytes = try handle(stream, upTo: min(room, WireLimits.dataLength)) { return bytes }
            }
        }
        return nil
    }

    private func interests(takesOutput: Bool) -> [(Stream, PollInterest)] {
        var interests: [(Stream, PollInterest)] = []
        if !errorsHaveEnded { interests.append((.errors, PollInterest(errors.raw, .readable))) }
        if !childHasEnded { interests.append((.end, PollInterest(end.raw, .readable))) }
        if !outputHasEnded, takesOutput { interests.append((.output, PollInterest(output.raw, .readable))) }
        return interests
    }

    /// - Returns: the bytes of the output, if it was ready and has not ended.
    private func handle(_ stream: Stream, upTo limit: Int) throws(SystemError) -> [UInt8]? {
        switch stream {
        case .output:
            let bytes = try System.read(output.raw, upTo: limit)
            outputHasEnded = bytes.isEmpty
            byteCount += UInt64(bytes.count)
            return bytes.isEmpty ? nil : bytes
        case .errors: try readErrors()
        case .end: childHasEnded = true
        }
        return nil
    }

    /// Reads standard error, and writes it to that of this process as well.
    private func readErrors() throws(SystemError) {
        let bytes = try System.read(errors.raw, upTo: 4096)
        errorsHaveEnded = bytes.isEmpty
        complaint.append(bytes)
        try? System.write(bytes.span, to: 2)
    }

    /// The end of the output needs no room: a destination may grant exactly as many bytes as there are.
    private var isComplete: Bool {
        guard childHasEnded else { return false }
        if !outputHasEnded {
            let ready = try? System.poll([PollInterest(output.raw, .readable)], milliseconds: 0)
            outputHasEnded = ready?.first == .ended
        }
        return outputHasEnded
    }

    /// Throws the failure of a program that has ended, if it has failed.
    func check() throws {
        while !errorsHaveEnded,
            (try? System.poll([PollInterest(errors.raw, .readable)], milliseconds: 0))?[0].isEmpty == false
        {
            try readErrors()
        }
        let end = programs.reap(child)
        isReaped = true
        guard end != .exited(0) else { return }
        let how = end?.description ?? "could not be waited for"
        let line = complaint.text
        throw Failure(
            .sourceFailed,
            "\(name) \(how)\(line.isEmpty ? "" : ": \(line)")",
            source: SourceFailure(domain: "pasteboard.program", code: Int64(end?.exitCode ?? -1), message: line)
        )
    }
}

/// The programs that run for asks. None of them outlives this process.
final class RunningPrograms: Sendable {
    /// The time between SIGTERM and SIGKILL, in milliseconds.
    private static let grace = 2_000

    let loop: Loop
    private let running = Lock<[(child: ChildProcess, end: DescriptorBox)]>([])

    init(on loop: Loop) { self.loop = loop }

    fileprivate func start(_ configuration: ChildProcess.Configuration) throws -> (ChildProcess, DescriptorBox) {
        let child = try ChildProcess(configuration)
        let end = DescriptorBox(try System.processDescriptor(child.id))
        running.withLock { $0.append((child, end)) }
        return (child, end)
    }

    /// Waits for a program that has ended.
    fileprivate func reap(_ child: ChildProcess) -> ProcessEnd? {
        running.withLock { $0.removeAll { $0.child.id == child.id } }
        return try? child.wait()
    }

    /// Ends a program and its children.
    fileprivate func end(_ child: ChildProcess, _ end: DescriptorBox) {
        try? child.killGroup(SIGTERM)
        Task(executorPreference: loop) {
            await self.finish(child, end, by: MonotonicClock.deadline(milliseconds: Self.grace), orAfterKill: .max)
        }
    }

    /// - Parameter last: the time until which the end of a killed program is awaited. One that waits for a file system
    ///   may not end.
    private func finish(
        _ child: ChildProcess,
        _ end: DescriptorBox,
        by time: UInt64,
        orAfterKill last: UInt64
    ) async {
        let interest = PollInterest(end.raw, .readable)
        await loop.ready(interest, until: time)
        guard running.withLock({ $0.contains { $0.child.id == child.id } }) else { return }
        try? child.killGroup(SIGKILL)
        if await loop.ready(interest, until: last) { _ = reap(child) }
    }

    /// Ends all programs, and returns when they have ended.
    func endAll() async {
        let all = running.withLock { $0 }
        for (child, _) in all { try? child.killGroup(SIGTERM) }
        let time = MonotonicClock.deadline(milliseconds: Self.grace)
        let last = MonotonicClock.deadline(milliseconds: 2 * Self.grace)
        for (child, end) in all { await finish(child, end, by: time, orAfterKill: last) }
    }
}
