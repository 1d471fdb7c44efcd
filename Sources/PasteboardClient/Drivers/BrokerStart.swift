import PasteboardTransport
import PasteboardWire

/// Starts a broker that outlives this process, and waits until it listens.
package struct BrokerStart {
    // The brokers that this process has started. A child that has ended stays in the process table until its parent,
    // which is this process, waits for it.
    private static let children = Lock<[ChildProcess]>([])

    let program: String
    private let environment: ProcessEnvironment

    /// Chooses the program: `$PASTEBOARD_BROKER`, else one in the directory of the running program, else one in `PATH`.
    init(environment: ProcessEnvironment) throws(Failure) {
        self.environment = environment
        if let named = environment["PASTEBOARD_BROKER"] {
            guard named.hasPrefix("/"), Self.isProgram(named) else {
                let reason = named.hasPrefix("/") ? "no program is there" : "it has to be an absolute path"
                throw Failure(.brokerUnavailable, "PASTEBOARD_BROKER is '\(named)'; \(reason)")
            }
            program = named
            return
        }
        let own = (try? System.programPath()).map { System.directory(of: $0) }
        // Without PATH, only a broker beside the program is found.
        let directories = (own.map { [$0] } ?? []) + System.programDirectories(environment["PATH"] ?? "")
        for directory in directories {
            for name in ["pasteboardd", "pasteboard"] where Self.isProgram("\(directory)/\(name)") {
                program = "\(directory)/\(name)"
                return
            }
        }
        throw Failure(
            .brokerUnavailable,
            "there is no broker to start: neither pasteboardd nor pasteboard is beside this program or in PATH; "
                + "install pasteboard, build it beside this program (swift build --product pasteboard), or set "
                + "PASTEBOARD_BROKER to its path"
        )
    }

    /// The program of the next broker. Throws if it does not run, or has another version.
    package static func describe(_ environment: ProcessEnvironment = ProcessEnvironment()) throws -> String {
        let start = try BrokerStart(environment: environment)
        let output = try MemoryFile()
        var configuration = ChildProcess.Configuration(path: start.program, arguments: ["--version"])
        configuration.output = .descriptor(output.descriptor.raw)
        configuration.errors = .null
        configuration.inNewSession = true
        let child = try ChildProcess(configuration)
        if try child.wait(milliseconds: BrokerConnector.timeouts) == nil {
            try? child.killGroup(9)
            _ = try child.wait()
        }
        let bytes = try System.bytes(of: output.descriptor.raw, from: 0, count: 64)
        let version = String(decoding: bytes, as: UTF8.self)
        guard version.hasSuffix(" \(ProgramVersion.current)\n") else {
            throw Failure(
                .brokerUnavailable,
                "\(start.program), which is started as the broker, is not version \(ProgramVersion.current) of it; "
                    + "correct or unset PASTEBOARD_BROKER, or install pasteboard again"
            )
        }
        return start.program
    }

    private static func isProgram(_ path: String) -> Bool {
        guard let status = try? System.status(at: path) else { return false }
        return status.kind == .symbolicLink || status.kind == .regular && status.mode & 0o111 != 0
    }

    /// Starts the broker, and waits until it listens.
    ///
    /// - Returns: nil when the broker listens, else the reason for the failure.
    func run() throws(SystemError) -> String? {
        Self.reap()
        // The broker opens its log itself, because the disk may not answer. Until it is ready, it also sends its
        // messages here, which tell why the start failed.
        let log = LogFile.path { environment[$0] }
        let errors = try System.pipe()
        let ready = try System.pipe()
        // The child gets the descriptor as number 3, the first one after the standard streams.
        var configuration = ChildProcess.Configuration(
            path: program,
            arguments: (program.hasSuffix("/pasteboard") ? ["broker"] : []) + ["--ready-fd", "3"]
                + (log.map { ["--log", $0] } ?? []),
            // A service manager of this program is not that of the broker. A frame log is meant for this program's
            // connection; the broker would log the frames of all programs until it ends.
            environment: ServiceManager.withoutVariables(environment.entries).filter { entry in
                !entry.hasPrefix("\(FrameLog.variable)=")
            }
        )
        configuration.output = .null
        configuration.errors = .descriptor(errors.second.raw)
        configuration.descriptors = [ready.second.raw]
        configuration.directory = DescriptorBox(try System.open("/", .directory))
        configuration.inNewSession = true
        let child = try ChildProcess(configuration)
        // If the write ends stayed open here, the reads would never return an end of file.
        let reader = ready.keepingFirst()
        let messages = errors.keepingFirst()

        let deadline = MonotonicClock.deadline(milliseconds: BrokerConnector.timeouts)
        let left = Int(MonotonicClock.millisecondsLeft(until: deadline))
        let readiness = try System.poll([PollInterest(reader.raw, .readable)], milliseconds: left)
        guard readiness[0] != [] else {
            Self.children.withLock { $0.append(child) }
            return "\(program) was started but is not ready after \(BrokerConnector.timeouts) ms"
        }
        if try !System.read(reader.raw, upTo: 1).isEmpty {
            Self.children.withLock { $0.append(child) }
            return nil
        }
        let end = try child.wait(milliseconds: BrokerConnector.timeouts)
        // Its children may keep the other end open.
        let isReadable = try System.poll([PollInterest(messages.raw, .readable)], milliseconds: 0)[0] != []
        let text = isReadable ? try System.read(messages.raw, upTo: 4096) : []
        return "\(program) \(end?.description ?? "closed its readiness descriptor without listening")"
            + (Self.lastLine(of: text).map { ": \($0)" } ?? "")
            + (log.map { "; see \($0)" } ?? "; it has no log, because neither XDG_STATE_HOME nor HOME is set")
    }

    /// The last line of a broker's messages, without its name.
    private static func lastLine(of bytes: [UInt8]) -> String? {
        guard let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").last else { return nil }
        let name = ["pasteboardd: ", "pasteboard: broker: "].first { line.hasPrefix($0) } ?? ""
        return String(line.dropFirst(name.count))
    }

    /// Ends the brokers that this process has started, and kills those that take longer.
    package static func endAll(milliseconds: Int) {
        for child in Self.children.withLock({ $0 }) {
            try? child.kill(15)
            if (try? child.wait(milliseconds: milliseconds)) == .some(nil) { try? child.killGroup(9) }
        }
        reap()
    }

    /// Collects the brokers that this process has started and that have ended.
    package static func reap() {
        Self.children.withLock { children in
            // If waiting fails, other code of the program has already waited for all children, so the child is removed
            // as well.
            children.removeAll { child in
                do {
                    return try System.waitForProcess(child.id, hang: false) != nil
                } catch {
                    return true
                }
            }
        }
    }
}
