import CPasteboardSystem
import Glibc

/// A socket that connections come in at.
package struct ListeningSocket: ~Copyable {
    package enum Accepted: ~Copyable {
        case connection(OwnedDescriptor)
        /// None waits.
        case none
        /// There was no descriptor for it: it has been taken off the queue, got the refusal, and is closed.
        case refused
        /// Not even that was possible. Watching the socket now would only spin: try again a little later.
        case exhausted
    }

    private let descriptor: OwnedDescriptor
    // Given up for the moment of a refusal. Without it a connection over the limit could not be taken off the queue,
    // and a level-triggered wait would report it for ever.
    private var reserve: OwnedDescriptor?
    /// What a connection is told that cannot be served for want of descriptors.
    private let refusal: [UInt8]

    /// To be watched for readability.
    package var raw: CInt { descriptor.raw }

    /// Makes a socket at `path`, where nothing may be, which only this user can connect to.
    package init(path: String, refusal: [UInt8] = []) throws(SystemError) {
        try Socket.checkLength(of: path)
        let descriptor = OwnedDescriptor(adopting: try System.call("socket") { pbs_unix_socket() })
        // Before bind: the file is born with this mode, whatever the process's mask is.
        try System.setMode(0o600, of: descriptor.raw)
        _ = try System.call("bind", path) { pbs_bind(descriptor.raw, path) }
        _ = try System.call("listen", path) { listen(descriptor.raw, 4096) }
        self.init(listening: descriptor, refusal: refusal)
    }

    private init(listening descriptor: consuming OwnedDescriptor, refusal: [UInt8]) {
        // Connections inherit it: strangers cannot fill this process with descriptors before they have said hello.
        Socket.setPassesDescriptors(descriptor.raw, false)
        self.descriptor = descriptor
        self.refusal = refusal
        reserve = try? System.open("/dev/null")
    }

    /// The socket that the service manager passed to this process; nil if it passed none.
    ///
    /// Called once, before other threads run: the variables are removed, so that children do not take them for theirs.
    package static func inherited(refusal: [UInt8] = []) throws(SystemError) -> ListeningSocket? {
        guard let process = System.environment("LISTEN_PID"), process == "\(System.processID)" else { return nil }
        let count = System.environment("LISTEN_FDS").flatMap { Int($0) } ?? 0
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { try System.setEnvironment(name, to: nil) }
        guard count > 0 else { return nil }
        guard count == 1 else {
            throw SystemError(call: "LISTEN_FDS", errno: EINVAL, subject: "\(count) sockets where one is expected")
        }
        return try ListeningSocket(inheriting: 3, refusal: refusal)
    }

    /// Takes over a descriptor that is a listening socket already.
    package init(inheriting raw: CInt, refusal: [UInt8] = []) throws(SystemError) {
        guard Socket.isListening(raw) else {
            throw SystemError(
                call: "LISTEN_FDS",
                errno: ENOTSOCK,
                subject: "descriptor \(raw) is not a listening Unix stream socket"
            )
        }
        let descriptor = OwnedDescriptor(adopting: raw)
        _ = try System.call("fcntl", "descriptor \(raw)") { fcntl(raw, F_SETFD, FD_CLOEXEC) }
        let flags = try System.openFlags(of: raw)
        _ = try System.call("fcntl", "descriptor \(raw)") { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
        self.init(listening: descriptor, refusal: refusal)
    }

    /// Takes the next connection off the queue. It never waits.
    package mutating func accept() throws(SystemError) -> Accepted {
        if reserve == nil { reserve = try? System.open("/dev/null") }
        do throws(SystemError) {
            guard let raw = try acceptOnce() else { return .none }
            return .connection(OwnedDescriptor(adopting: raw))
        } catch {
            switch error.errno {
            case EMFILE, ENFILE: return refuseOne()
            case ENOBUFS, ENOMEM: return .exhausted
            default: throw error
            }
        }
    }

    private func acceptOnce() throws(SystemError) -> CInt? {
        while true {
            do throws(SystemError) {
                return try System.callUnlessBlocked("accept") { pbs_accept(descriptor.raw) }
            } catch {
                // That one gave up while it waited; the next may not have.
                if error.errno != ECONNABORTED { throw error }
            }
        }
    }

    private mutating func refuseOne() -> Accepted {
        guard reserve.take() != nil else { return .exhausted }
        let outcome: Accepted
        if let accepted = try? acceptOnce() {
            let connection = OwnedDescriptor(adopting: accepted)
            _ = refusal.withUnsafeBytes { bytes in
                pbs_send(connection.raw, bytes.baseAddress, bytes.count, nil, 0, nil, 0, nil, 0)
            }
            outcome = .refused
        } else {
            outcome = .exhausted
        }
        reserve = try? System.open("/dev/null")
        return outcome
    }
}
