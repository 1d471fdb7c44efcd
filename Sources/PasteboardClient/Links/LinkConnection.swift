package import PasteboardTransport
package import PasteboardWire

/// One end of a link: a connection to the broker of a machine.
package final class LinkConnection {
    package var io: ConnectionIO
    /// The name of the machine, for errors.
    package let machine: String

    /// - Parameters:
    ///   - socket: a socket whose other end is a broker, or a program that passes bytes to one.
    ///   - label: the name of the link, which this broker shows.
    ///   - passesConcealed: whether the link may see concealed contents.
    package init(
        adopting socket: consuming OwnedDescriptor,
        path: String,
        machine: String,
        label: String,
        passesConcealed: Bool = false,
        programVersion: String? = nil
    ) {
        var hello = Hello()
        hello.role = .link
        hello.label = label
        if passesConcealed { hello.seesConcealed = true }
        hello.programVersion = programVersion
        io = ConnectionIO(adopting: socket, path: path, hello: hello)
        // On a slow line, what the kernel holds is in front of a new copy.
        Socket.setBuffers(of: io.descriptor, bytes: 32 << 10)
        // A machine that was unplugged, or a program that was stopped, closes nothing.
        io.timeouts.probesIdle = true
        self.machine = machine
    }

    /// Waits for the broker's answer to hello.
    ///
    /// - Returns: false if something is ready on `extra` before.
    package func greet(watching extra: [PollInterest]) throws(Failure) -> Bool {
        while true {
            if let welcome = io.state.welcome {
                guard !welcome.features.contains(Feature.links.rawValue) else { return true }
                let version = welcome.programVersion ?? "an older version"
                let text = "the broker on \(machine) (\(version)) does not support links; update pasteboard there"
                throw Failure(.versionMismatch, text)
            }
            let ready = try io.turn(extra: extra) { _, _, _ in }
            if ready.contains(where: { !$0.isEmpty }) { return false }
        }
    }
}
