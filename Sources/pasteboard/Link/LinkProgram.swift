import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The program that reaches the broker of another machine: ssh, or a shell command. Its standard input and output are
/// the connection.
final class LinkProgram {
    /// The command on the other machine. It waits longer for input than this machine does between probes. A shell that
    /// is not a login shell may not have the directory in its PATH, and need not be a POSIX shell.
    private static func remote(_ silence: Int) -> String {
        let command = "exec pasteboard connect --silence \(silence + silence / 3 * 2)ms"
        return #"exec sh -c 'PATH="$PATH:$HOME/.local/bin"; "# + command + "'"
    }

    /// A machine that has gone is noticed by ssh itself, too. Without a terminal nothing of the login is printed.
    private static let options = ["-T", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=2"]
    /// The time for the program to end after its connection, in milliseconds.
    private static let grace = 500

    /// The name in errors.
    let name: String
    private let child: ChildProcess
    private var socket: OwnedDescriptor?
    private var ended: ProcessEnd?

    init(to operand: String, via: String?, silence: Int) throws {
        var configuration: ChildProcess.Configuration
        if let via {
            name = "'\(via)'"
            configuration = ChildProcess.Configuration(path: "/bin/sh", arguments: ["-c", via])
        } else {
            name = "ssh"
            let path = System.programDirectories().map { "\($0)/ssh" }.first { System.isExecutable($0) }
            guard let path else {
                throw Failure(.linkDown, "there is no ssh in PATH; install openssh-client, or use --via")
            }
            let arguments = Self.options + ["--", operand, Self.remote(silence)]
            configuration = ChildProcess.Configuration(path: path, arguments: arguments)
        }
        let pair = try Socket.pair()
        // Programs expect standard streams that block.
        try System.makeBlocking(pair.second.raw)
        configuration.input = .descriptor(pair.second.raw)
        configuration.output = .descriptor(pair.second.raw)
        child = try ChildProcess(configuration)
        socket = pair.keepingFirst()
    }

    /// The end at `machine`, whose broker shows it as a link to `own`. Called once.
    func end(
        at machine: String,
        own: String = MachineName.current,
        passesConcealed: Bool = false,
        on loop: Loop,
        timeouts: ConnectionTimeouts
    ) -> LinkEnd {
        let socket = self.socket.take() ?? OwnedDescriptor(adopting: -1)
        return LinkEnd(
            adopting: socket,
            path: machine,
            machine: machine,
            label: "link to \(own)",
            passesConcealed: passesConcealed,
            programVersion: ProgramVersion.current,
            on: loop,
            timeouts: timeouts
        )
    }

    /// A failure of the greeting of `end`, with the likely reason if the program's output is no frame.
    func explained(_ failure: Failure, at end: LinkEnd) -> Failure {
        guard end.connection.isForeign else { return failure }
        let text =
            "the command on \(end.machine) printed text that is not the pasteboard protocol; files such as .bashrc must "
            + "print nothing without a terminal"
        return Failure(.protocolViolation, text)
    }

    /// The description of the program's end; nil while it runs.
    func howItEnded() -> String? {
        ended = ended ?? (try? child.wait(milliseconds: Self.grace)).flatMap { $0 }
        return ended.map { "\(name) \($0)" }
    }

    /// Ends the program after its connection was closed, so that the bytes that it still has to send are not lost.
    func stop() {
        for signal in [SIGTERM, SIGKILL] where howItEnded() == nil { Self.signal(signal, child.id) }
        if ended == nil { _ = try? child.wait() }
    }

    /// Sends a signal to a process and its descendants. They stay in this process group, because ssh could not ask for
    /// a password in another one.
    private static func signal(_ signal: CInt, _ process: CInt) {
        for child in System.children(of: process) { self.signal(signal, child) }
        try? System.kill(process, signal)
    }
}
