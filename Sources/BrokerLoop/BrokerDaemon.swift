package import BrokerState
import PasteboardTransport
package import PasteboardWire

/// The broker as a program: what `pasteboardd` and `pasteboard broker` run.
package enum BrokerDaemon {
    package static let usage = """
        usage: pasteboardd [--socket PATH] [--limit NAME=VALUE ...]

        Runs the broker of this user in the foreground until SIGTERM, SIGINT or SIGHUP.

          --socket PATH       the socket to listen at, instead of the well-known one
          --limit NAME=VALUE  sets a limit; `pasteboard limits` shows them. A size is
                              written as 65536, 64KiB or 1.5 MiB, a time as 500ms,
                              30s, 10m or 1h. Limits are also read from
                              $XDG_CONFIG_HOME/pasteboard/config, one `NAME = VALUE`
                              a line
          --ready-fd N        writes a byte to descriptor N when clients can connect
          --help              shows this help

        A socket that the service manager passes (LISTEN_FDS) is used as it is.

        """

    /// Runs to the end and returns the exit code.
    package static func run(arguments: [String], program: String = "pasteboardd") -> CInt {
        do throws(Failure) {
            let options = try DaemonOptions(arguments)
            if options.showsHelp {
                try? System.write(Array(self.usage.utf8).span, to: 1)
                return 0
            }
            try self.serve(options, program: program)
            return 0
        } catch {
            try? System.write(Array("\(program): \(error.text)\n".utf8).span, to: 2)
            return error.code == .invalidArgument ? 2 : 3
        }
    }

    private static func serve(_ options: DaemonOptions, program: String) throws(Failure) {
        do {
            System.ignoreBrokenPipes()
            let descriptors = System.raiseDescriptorLimit()
            var limits = options.limits
            limits.fit(descriptors: UInt64(max(0, descriptors)))
            let log = LogStream(2, program: program)
            var loop = try BrokerLoop(state: try Self.state(limits)) { log.write($0) }
            try loop.add(SignalSource())
            if let inherited = try ListeningSocket.inherited(refusal: ListenerSource.refusal) {
                try loop.add(ListenerSource(inherited: inherited))
            } else {
                let place = try options.place()
                let door = try ListenerSource(claiming: place)
                try loop.add(door)
                try loop.add(VanishedSocketSource(place, of: door))
            }
            if let ready = options.readyDescriptor {
                try? System.write([UInt8(ascii: "r")].span, to: ready)
                _ = OwnedDescriptor(adopting: ready)
            }
            try loop.run()
        } catch let failure as Failure {
            throw failure
        } catch PlaceError.held(let lock, let process) {
            let holder = process.map { "process \($0)" } ?? "another process"
            throw Failure(.brokerUnavailable, "a broker runs already: \(holder) holds \(lock)")
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
    }

    /// A state for a broker of this machine, now.
    package static func state(_ limits: BrokerLimits) throws(Failure) -> BrokerState {
        let epoch: UInt64
        do throws(SystemError) {
            epoch = try System.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1
        } catch {
            throw Failure(.brokerUnavailable, "\(error)")
        }
        return BrokerState(
            limits: limits,
            epoch: epoch,
            firstChangeCount: MonotonicClock.bootMicroseconds(),
            process: UInt32(bitPattern: System.processID),
            programVersion: ProgramVersion.current
        )
    }
}

extension BrokerLimits {
    /// The defaults on this machine.
    package static var standard: BrokerLimits {
        var limits = BrokerLimits()
        limits.keptPool = System.memorySize() / 4
        return limits
    }

    /// Lowers what takes descriptors so that so many are enough, with a reserve for what is not counted here.
    package mutating func fit(descriptors: UInt64) {
        let usable = max(32, descriptors - min(descriptors, 64))
        self.keptRepresentations = min(self.keptRepresentations, usable / 4)
        self.passedDescriptors = min(self.passedDescriptors, usable / 16)
        // As many that are passed as cannot be closed; and with a connection two that wait for the rest of their frame.
        let rest = usable - self.keptRepresentations - 2 * self.passedDescriptors
        self.connections = min(self.connections, rest / 3)
    }
}
