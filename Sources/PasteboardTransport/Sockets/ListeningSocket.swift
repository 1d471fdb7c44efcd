import CPasteboardSystem
import Glibc

/// A listening socket.
package struct ListeningSocket: ~Copyable {
    package enum Accepted: ~Copyable {
        case connection(OwnedDescriptor)
        /// No connection is waiting.
        case none
        /// The process had no descriptor left, so a waiting connection was sent the refusal and closed.
        case refused
        /// Not even a refusal was possible. The caller should pause, because the socket remains readable.
        case exhausted
    }

    private let descriptor: OwnedDescriptor
    // A spare descriptor, closed during a refusal. Without it, a connection over the limit could not be taken off the
    // queue, and a level-triggered wait would report it forever.
    private var reserve: EventDescriptor?
    /// The bytes sent to a connection for which no descriptor is left.
    private let refusal: [UInt8]

    /// Readable while a connection is waiting.
    package var raw: CInt { descriptor.raw }

    /// Creates a socket at `path`, which must not exist. Only this user can connect to it.
    package init(path: String, refusal: [UInt8] = []) throws(SystemError) {
        try Socket.checkLength(of: path)
        let descriptor = OwnedDescriptor(adopting: try System.call("socket") { pbs_unix_socket() })
        // Set before bind, which creates the file with this mode regardless of the process's mask.
        try System.setMode(0o600, of: descriptor.raw)
        _ = try System.call("bind", path) { pbs_bind(descriptor.raw, path) }
        _ = try System.call("listen", path) { listen(descriptor.raw, 4096) }
        self.init(listening: descriptor, refusal: refusal)
    }

    private init(listening descriptor: consuming OwnedDescriptor, refusal: [UInt8]) {
        // Accepted connections inherit this, so that a peer cannot fill this process with descriptors before hello.
        Socket.setPassesDescriptors(descriptor.raw, false)
        self.descriptor = descriptor
        self.refusal = refusal
        reserve = try? EventDescriptor()
    }

    /// Takes over a descriptor that is already a listening socket.
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

    /// Takes the next connection off the queue, without waiting.
    package mutating func accept() throws(SystemError) -> Accepted {
        if reserve == nil { reserve = try? EventDescriptor() }
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
                // This client closed its connection while it waited. Another one may be waiting.
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
        reserve = try? EventDescriptor()
        return outcome
    }
}
