import Glibc
import PasteboardTransport
import PasteboardWire

/// The request to the running broker to make room for this one.
///
/// It is a signal: the running broker answers what it has read, releases the kept directory and the lock of its path,
/// and keeps the socket, where clients wait, until this one has put its own in its place.
enum Takeover {
    /// The time in milliseconds for the running broker to release the lock.
    static let timeout = 10_000
    /// The time in milliseconds for a connection to it.
    private static let timeToConnect = 1_000

    /// The value of the signal, which one that was sent by mistake does not have.
    static let value: Int32 = 0x7062

    /// - Returns: false if no broker runs at the path.
    static func request(at path: SocketPath) throws(Failure) -> Bool {
        let deadline = MonotonicClock.deadline(milliseconds: timeToConnect)
        guard let connection = try? Socket.connect(path: path.path, deadline: deadline) else { return false }
        let listener = (try? PeerCredentials(of: connection.raw))?.process ?? 0
        // Opened before the lock is read again: the number of a process that has ended may belong to another one.
        guard listener > 0, let process = try? System.processDescriptor(listener),
            BrokerLock.holder(of: path) == listener
        else {
            throw Failure(
                .brokerUnavailable,
                "this program cannot replace what listens at \(path.path): it belongs to a service manager, another "
                    + "machine or another container; restart the broker there"
            )
        }
        try asFailure { () throws(SystemError) in try System.send(SIGUSR2, value: value, to: process.raw) }
        return true
    }
}
