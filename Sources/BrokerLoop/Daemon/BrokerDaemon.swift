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
          --no-keeper         runs the broker alone: no second process holds its kept
                              contents, and starts it again after a crash
          --replace           makes the running broker's keeper start this program
                              instead, with the socket and the kept contents, and
                              returns; loads that have begun finish
          --ready-fd N        writes a byte to descriptor N when clients can connect
          --version           shows the version
          --help              shows this help

        If the service manager passes a socket (LISTEN_FDS), the broker listens there.

        """

    /// Runs until the broker ends, and returns the exit code.
    package static func run(arguments: [String], program: String = "pasteboardd") -> CInt {
        let log = LogStream(2, program: program)
        do throws(Failure) {
            try asFailure { () throws(SystemError) in try System.checkArguments() }
            if arguments == ["--version"] || arguments == ["-V"] {
                try? System.write(Array("\(program) \(ProgramVersion.current)\n".utf8).span, to: 1)
                return 0
            }
            // The process that became the keeper, or asked for a replacement, has rejected a file with bad lines. A
            // line that became bad later must not cost the saved contents.
            let isKept = ServiceManager.keeper != nil
            let options = try DaemonOptions(arguments, reportingBadLines: isKept ? { log.write($0) } : nil)
            if options.showsHelp {
                try? System.write(Array(usage.utf8).span, to: 1)
                return 0
            }
            if options.replaces {
                try Replacement.request(at: try options.socketPath(), arguments: ownArguments)
                return 0
            }
            // A client has started this process for all programs, with its own priority.
            if !isKept, options.readyDescriptor != nil { System.resetInheritedAttributes() }
            if options.hasKeeper, !ServiceManager.isPresent {
                return try keep(options, at: try options.socketPath(), log)
            }
            return try serve(options, log)
        } catch {
            try? System.write(Array("\(program): \(error.text)\n".utf8).span, to: 2)
            return error.code == .invalidArgument ? 2 : 3
        }
    }

    /// Throws if a broker with these limits would not start because of one of them, of `PASTEBOARD_LIMITS` or of the
    /// configuration file.
    package static func check(limits: [String] = []) throws(Failure) {
        _ = try DaemonOptions(limits.flatMap { ["--limit", $0] })
    }

    /// The exit code of a broker that has let another one take over, which its service manager has to start.
    private static let takenOver: CInt = 75

    /// Prepares this process to hold the contents of others, as the broker or as its keeper.
    ///
    /// - Parameter isKept: whether the broker has a keeper. Then no process may trace either of them: a tracer that
    ///   attached before the memory was closed could still read it.
    private static func prepareProcess(isKept: Bool) throws(Failure) {
        System.ignoreBrokenPipes()
        System.ignoreFileSizeSignals()
        System.ignoreStraySignals()
        System.raiseDescriptorLimit()
        System.closeNewFilesToOthers()
        // Also while nothing is kept: a password passes through the memory of a broker as any other contents do, and a
        // keeper has the descriptors of all kept bytes.
        System.closeMemoryToOthers()
        if isKept, let tracer = System.status("TracerPid", of: System.processID), tracer != 0 {
            let text =
                "process \(tracer) traces this broker, and could read all contents; to debug one, use --no-keeper"
            throw Failure(.brokerUnavailable, text)
        }
    }

    private static func serve(_ options: DaemonOptions, _ log: LogStream) throws(Failure) -> CInt {
        let keeper = ServiceManager.keeper
        try prepareProcess(isKept: keeper != nil)
        // The keeper starts it by another path. The name is split as bytes: the first split of characters loads the
        // tables of Unicode, which takes time and memory.
        if keeper != nil, let name = CommandLine.arguments.first?.utf8.split(separator: UInt8(ascii: "/")).last {
            SystemThread.setName(String(decoding: name, as: UTF8.self))
        }
        let startsEmpty = keeper != nil && System.environment(ServiceManager.emptyVariable) != nil
        let isRestart = keeper != nil && System.environment(ServiceManager.restartVariable) != nil
        var passed = try asFailure { () throws(SystemError) in try ServiceManager.passedDescriptors() }
        let manager =
            passed.first { $0.name == Keeper.messagesName }.map { ServiceManager($0.descriptor) } ?? ServiceManager()
        if manager == nil, keeper != nil || passed.contains(where: { ContentsSaver.number($0.name) != nil }) {
            // Otherwise the broker would serve without the saved contents, as if they had been cleared.
            throw Failure(.brokerUnavailable, "cannot connect to the keeper or systemd, which has the saved contents")
        }
        var limits = options.limits
        if let manager, manager.capacity > 0 { limits.fit(saved: manager.capacity) }
        var server = try BrokerServer(limits: limits) { log.write($0) }
        try server.add(
            try asFailure { () throws(SystemError) in
                try SignalSource(keeper: keeper, allowsTakeover: manager?.capacity ?? 0 > 0)
            }
        )
        // If this version does not support the saved contents, the keeper starts the program that has saved them.
        try server.beginSaving(
            with: manager,
            restoring: passed,
            refusingOthers: keeper != nil,
            isRestart: isRestart
        )
        let directory = try listen(options, passed, &server)
        var snapshot: Snapshot?
        if limits.keptOnDisk > 0 {
            do throws(Failure) {
                // The contents on the disk may be the reason why earlier brokers could not start.
                guard !startsEmpty else {
                    throw Failure(.brokerUnavailable, "earlier brokers could not start with contents")
                }
                let path = directory == nil ? nil : try options.socketPath()
                snapshot = try Snapshot(for: path, limit: limits.keptOnDisk)
            } catch {
                log.write("cannot keep contents on the disk: \(error.text)")
            }
        }
        if let snapshot { server.beginSaving(on: snapshot) }
        // Closes the descriptors that nothing has taken over.
        passed = []
        server.notifyManager("READY=1")
        // From here on this process opens no file outside of its directory for state, and removes only its socket and
        // its lock. Not every kernel can enforce that.
        try? System.giveUpFiles(
            exceptRemovingFrom: directory,
            writingTo: snapshot?.directory.raw,
            readsProcesses: ProcessIdentity.isReadFromFiles()
        )
        // A keeper writes to it, and the number is that of another descriptor here.
        if let ready = options.readyDescriptor, keeper == nil {
            try? System.write([UInt8(ascii: "r")].span, to: ready)
            _ = OwnedDescriptor(adopting: ready)
        }
        try server.run()
        return server.wasTakenOver ? takenOver : 0
    }

    /// Listens at the socket that was passed, else at the path.
    ///
    /// - Returns: the directory of a socket that this process removes.
    private static func listen(
        _ options: DaemonOptions,
        _ passed: [ServiceManager.Passed],
        _ server: inout BrokerServer
    ) throws(Failure) -> String? {
        let sockets = passed.filter {
            // The last two are those of earlier versions.
            ![Keeper.lockName, Keeper.messagesName, "exe", "spool"].contains($0.name)
                && ContentsSaver.number($0.name) == nil
        }
        guard let socket = sockets.first else {
            let path = try options.socketPath()
            try server.listen(at: path)
            return path.directory
        }
        guard sockets.count == 1 else {
            throw Failure(.brokerUnavailable, "the service manager passed \(sockets.count) sockets; one is expected")
        }
        do {
            let number = try System.duplicate(socket.descriptor.raw).release()
            let listener = try ListeningSocket(inheriting: number, refusal: ListenerSource.refusal)
            guard let lock = passed.first(where: { $0.name == Keeper.lockName }) else {
                try server.listen(at: listener)
                return nil
            }
            let path = try options.socketPath()
            let own = try System.duplicate(lock.descriptor.raw)
            try server.listen(adopting: try ClaimedSocket(adopting: listener, lock: own, at: path))
            return path.directory
        } catch {
            throw error as? Failure ?? Failure(.brokerUnavailable, "\(error)")
        }
    }

    /// The arguments of this process, which may precede those of the daemon by the name of a command.
    private static var ownArguments: [String] { Array(CommandLine.arguments.dropFirst()) }

    /// Runs a keeper, which runs the broker.
    private static func keep(
        _ options: DaemonOptions,
        at path: SocketPath,
        _ log: LogStream
    ) throws(Failure) -> CInt {
        try prepareProcess(isKept: true)
        System.noticeChildren()
        var keeper = try Keeper(
            at: path,
            arguments: ownArguments,
            ready: options.readyDescriptor,
            log: log
        )
        return try keeper.run()
    }
}
