import PasteboardTransport
import PasteboardWire

/// The broker as a program, which `pasteboardd` and `pasteboard broker` run.
package enum BrokerDaemon {
    package static let usage = """
        usage: pasteboardd [--socket PATH] [--limit NAME=VALUE ...]

        Runs this user's broker in the foreground until SIGTERM, SIGINT or SIGHUP.

          --socket PATH       listens at this path instead of the well-known one
          --limit NAME=VALUE  sets a limit; `pasteboard limits` lists them. Write sizes
                              as 65536, 64KiB or 1.5 MiB, times as 500ms, 30s, 10m
                              or 1h. Limits are also read from
                              $XDG_CONFIG_HOME/pasteboard/config, one `NAME = VALUE`
                              per line
          --ready-fd N        writes a byte to descriptor N when clients can connect
          --help              shows this help

        If the service manager passes a socket (LISTEN_FDS), the broker listens there.

        """

    /// Runs until the broker ends, and returns the exit code.
    package static func run(arguments: [String], program: String = "pasteboardd") -> CInt {
        do throws(Failure) {
            try asFailure { () throws(SystemError) in try System.checkArguments() }
            let options = try DaemonOptions(arguments)
            if options.showsHelp {
                try? System.write(Array(usage.utf8).span, to: 1)
                return 0
            }
            try serve(options, program: program)
            return 0
        } catch {
            try? System.write(Array("\(program): \(error.text)\n".utf8).span, to: 2)
            return error.code == .invalidArgument ? 2 : 3
        }
    }

    private static func serve(_ options: DaemonOptions, program: String) throws(Failure) {
        System.ignoreBrokenPipes()
        System.ignoreFileSizeSignals()
        System.ignoreStraySignals()
        System.raiseDescriptorLimit()
        System.closeNewFilesToOthers()
        // Also while nothing is kept: a password passes through the memory of a broker as any other contents do.
        System.closeMemoryToOthers()
        let log = LogStream(2, program: program)
        var server = try BrokerServer(limits: options.limits) { log.write($0) }
        try server.add(try asFailure { () throws(SystemError) in try SignalSource() })
        let inherited = try asFailure { () throws(SystemError) in
            try ServiceManager.listeningSocket(refusal: ListenerSource.refusal)
        }
        var directory: String?
        if let inherited {
            try server.listen(at: inherited)
        } else {
            let path = try options.socketPath()
            try server.listen(at: path)
            directory = path.directory
        }
        ServiceManager.notify("READY=1")
        // From here on it opens no file, and removes only its socket, its lock and their directory. Not every kernel can
        // ensure that.
        try? System.giveUpFiles(
            exceptRemovingFrom: directory,
            readsProcesses: ProcessIdentity.isReadFromFiles()
        )
        if let ready = options.readyDescriptor {
            try? System.write([UInt8(ascii: "r")].span, to: ready)
            _ = OwnedDescriptor(adopting: ready)
        }
        try server.run()
    }
}
