import BrokerState
import PasteboardTransport
package import PasteboardWire

/// The broker as a program, which `pasteboardd` and `pasteboard broker` run.
package enum BrokerDaemon {
    package static let usage = """
        usage: pasteboardd [--socket PATH] [--limit NAME=VALUE ...]

        Runs this user's broker in the foreground until SIGTERM, SIGINT or SIGHUP.

          --socket PATH       listens at this path instead of the well-known one
          --limit NAME=VALUE  sets a limit; `pasteboard limits` lists them. Write sizes
                              as 65536, 64KiB or 1.5 MiB, times as 500ms, 30s,
                              1m30s or 1d. Limits are also read from
                              PASTEBOARD_LIMITS, a list of NAME=VALUE, and from
                              $XDG_CONFIG_HOME/pasteboard/config, one `NAME = VALUE`
                              per line
          --replace           takes the place of the running broker, with what it
                              keeps; loads that have begun finish there
          --log PATH          also writes messages to this file
          --ready-fd N        writes a byte to descriptor N when clients can connect
          --version           shows the version
          --help              shows this help

        If the service manager passes a socket (LISTEN_FDS), the broker listens there.

        """

    /// Runs until the broker ends, and returns the exit code.
    package static func run(arguments: [String], program: String = "pasteboardd") -> CInt {
        var log = LogStream(2, program: program)
        do throws(Failure) {
            try asFailure { () throws(SystemError) in try System.checkArguments() }
            if arguments == ["--version"] || arguments == ["-V"] {
                try? System.write(Array("\(program) \(ProgramVersion.current)\n".utf8).span, to: 1)
                return 0
            }
            let options = try DaemonOptions(arguments)
            if options.showsHelp {
                try? System.write(Array(usage.utf8).span, to: 1)
                return 0
            }
            // A client has started this process for all programs, with its own priority.
            if options.readyDescriptor != nil { System.resetInheritedAttributes() }
            let file = options.log.flatMap(openLog)
            if let file { log = LogStream([2, file.raw], program: program) }
            return try serve(options, log, file)
        } catch {
            log.write(error.text)
            return error.code == .invalidArgument ? 2 : 3
        }
    }

    /// Opens a log on a disk, which may not answer.
    private static func openLog(_ path: String) -> DescriptorBox? {
        DiskCall.run(milliseconds: LogStream.timeout, with: nil) { _ in LogFile.open(path) } ?? nil
    }

    /// Throws if a broker with these limits would not start because of one of them, of `PASTEBOARD_LIMITS` or of the
    /// configuration file.
    package static func check(limits: [String] = []) throws(Failure) {
        _ = try DaemonOptions(limits.flatMap { ["--limit", $0] })
    }

    private static func serve(
        _ options: DaemonOptions,
        _ log: LogStream,
        _ logFile: DescriptorBox?
    ) throws(Failure) -> CInt {
        var server = try start(options, log, logFile)
        // The start has taken memory that is not needed any more.
        System.trimMemory()
        System.trimMainStack()
        try server.run()
        return 0
    }

    // Not inlined, because its frame is large.
    @inline(never)
    private static func start(
        _ options: DaemonOptions,
        _ log: LogStream,
        _ logFile: DescriptorBox?
    ) throws(Failure) -> BrokerServer {
        prepareProcess(log)
        let sockets = try asFailure { () throws(SystemError) in try ServiceManager.passedSockets() }
        let path = try options.socketPath()
        // Before this process has a lock: opening a directory on a disk may never return.
        let disk = openDisk(for: path, options, log)
        var server = try BrokerServer(limits: options.limits) { log.write($0) }
        try server.add(try asFailure { () throws(SystemError) in try SignalSource() })
        let written: [CInt]
        if sockets.isEmpty {
            let isTakeover = options.replaces ? try Takeover.request(at: path) : false
            let deadline = MonotonicClock.deadline(milliseconds: isTakeover ? Takeover.timeout : 0)
            let claimed = try BrokerServer.claim(path, until: deadline)
            written = try beginSaving(for: path, disk, &server, log)
            try server.listen(at: claimed)
        } else {
            guard !options.replaces else {
                let text = "the service manager has the socket; restart the service instead of --replace"
                throw Failure(.invalidArgument, text)
            }
            written = try beginSaving(for: path, disk, &server, log)
            try listen(sockets, &server)
        }
        ServiceManager.notify("READY=1")
        // From here on this process opens no file outside of its directories, and removes only its socket and its
        // lock. Not every kernel can enforce that.
        try? System.giveUpFiles(
            exceptRemovingFrom: sockets.isEmpty ? path.directory : nil,
            writingTo: written
        )
        if let ready = options.readyDescriptor {
            try? System.write([UInt8(ascii: "r")].span, to: ready)
            _ = OwnedDescriptor(adopting: ready)
        }
        if let logFile { log.settle(on: logFile.raw) }
        return server
    }

    /// Prepares this process to hold the contents of others.
    private static func prepareProcess(_ log: LogStream) {
        System.ignoreBrokenPipes()
        System.ignoreFileSizeSignals()
        System.ignoreStraySignals()
        System.raiseDescriptorLimit()
        System.closeNewFilesToOthers()
        // Also if nothing is kept: a password passes through the memory of a broker, as any other contents do.
        System.closeMemoryToOthers()
        if let tracer = System.status("TracerPid", of: System.processID), tracer != 0 {
            log.write("process \(tracer) traces this broker, and can read all contents")
        }
    }

    /// Restores what is kept, and keeps it from now on.
    ///
    /// - Returns: the directories for that. The server alone holds them, and releases them when another broker takes
    ///   over.
    private static func beginSaving(
        for path: SocketPath,
        _ disk: Disk,
        _ server: inout BrokerServer,
        _ log: LogStream
    ) throws(Failure) -> [CInt] {
        var directory: KeptDirectory?
        do throws(Failure) {
            directory = try KeptDirectory(for: path)
        } catch {
            // A broker that served without them would let them come back after newer contents.
            guard !KeptDirectory.hasContents(for: path) else {
                throw Failure(.brokerUnavailable, "the saved contents cannot be read: \(error.text)")
            }
            log.write("contents end with this broker: \(error.text)")
        }
        do throws(SystemError) {
            try server.beginSaving(in: directory, disk: disk)
        } catch {
            throw Failure(.brokerUnavailable, "cannot restore the saved contents now, start the broker again: \(error)")
        }
        return [directory?.raw, disk.copy?.directory.raw].compactMap(\.self)
    }

    private static func openDisk(
        for path: SocketPath,
        _ options: DaemonOptions,
        _ log: LogStream
    ) -> Disk {
        do throws(Failure) {
            return try DiskCopy(for: path, limit: options.limits.keptOnDisk).map { .copy($0) } ?? .none
        } catch {
            guard options.limits.keptOnDisk > 0 else { return .none }
            log.write("cannot keep contents on the disk: \(error.text)")
            return .unusable(error.text)
        }
    }

    /// Listens at the socket that the service manager has passed.
    private static func listen(_ sockets: [DescriptorBox], _ server: inout BrokerServer) throws(Failure) {
        guard sockets.count == 1 else {
            throw Failure(.brokerUnavailable, "the service manager passed \(sockets.count) sockets; one is expected")
        }
        let listener = try asFailure { () throws(SystemError) in
            let number = try System.duplicate(sockets[0].raw).release()
            return try ListeningSocket(inheriting: number, refusal: ListenerSource.refusal)
        }
        try server.listen(at: listener)
    }
}
