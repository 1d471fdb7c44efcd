import Glibc
package import PasteboardTransport

/// Ends the broker on SIGTERM, SIGINT and SIGHUP. The first signal drains it, the second ends it at once. On SIGUSR2 it
/// lets another broker take over, if it has a service manager that starts one.
///
/// A signal to the whole process group, such as that of a key of the terminal, reaches a broker with a keeper twice:
/// the keeper passes on its own. So the signals of the keeper and those of others are counted separately.
package final class SignalSource: EventSource {
    private let signals: SignalDescriptor
    private let keeper: CInt?
    private var received = (fromKeeper: 0, fromOthers: 0)

    package var descriptor: CInt { signals.raw }

    /// - Parameters:
    ///   - keeper: the parent, if it passes on the signals that it gets.
    ///   - allowsTakeover: whether the program is started again when it has let another one take over.
    package init(keeper: CInt? = nil, allowsTakeover: Bool = false) throws(SystemError) {
        signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP] + (allowsTakeover ? [SIGUSR2] : []))
        self.keeper = keeper
    }

    package func ready(in loop: inout BrokerLoop) {
        while let (signal, sender) = try? signals.nextWithSender() {
            guard signal != SIGUSR2 else {
                // The keeper may have been killed since the start.
                guard keeper == nil || keeper == getppid() else {
                    loop.log("signal \(signal) is ignored: the keeper has ended, so no other broker would take over")
                    continue
                }
                if !loop.isDraining { loop.log("signal \(signal): another broker takes over") }
                loop.beginTakeover()
                continue
            }
            guard !isEcho(of: sender) else { continue }
            loop.log("signal \(signal): \(loop.isDraining ? "ending at once" : "draining")")
            loop.stop()
        }
    }

    /// Counts a signal. Returns whether the other side has sent one to the whole process group, of which this is a
    /// copy.
    private func isEcho(of sender: CInt) -> Bool {
        if let keeper, sender == keeper {
            received.fromKeeper += 1
            return received.fromKeeper <= received.fromOthers
        }
        received.fromOthers += 1
        return received.fromOthers <= received.fromKeeper
    }

    package func draining(in loop: inout BrokerLoop) {}
}

/// Ends the broker at the request of another thread.
package final class StopSource: EventSource, Sendable {
    private let event: EventDescriptor
    private let crashes = Lock(false)

    package var descriptor: CInt { event.raw }

    package init() throws(SystemError) {
        event = try EventDescriptor()
    }

    /// Drains the broker. A second call ends it at once.
    package func signal() {
        event.signal()
    }

    /// Ends the broker as if its process were killed: no peer is notified.
    package func crash() {
        crashes.withLock { $0 = true }
        event.signal()
    }

    package func ready(in loop: inout BrokerLoop) {
        event.drain()
        if crashes.withLock(\.self) { loop.crash() } else { loop.stop() }
    }

    package func draining(in loop: inout BrokerLoop) {}
}

/// Ends a broker that clients can no longer find, because its socket or the socket's directory has been removed.
final class VanishedSocketSource: EventSource {
    private let watch: DirectoryWatch
    private let listener: ListenerSource
    private let path: SocketPath

    var descriptor: CInt { watch.raw }

    init(_ path: SocketPath, of listener: ListenerSource) throws(SystemError) {
        watch = try DirectoryWatch(path.directory)
        self.path = path
        self.listener = listener
    }

    func ready(in loop: inout BrokerLoop) {
        watch.drain()
        guard !loop.isDraining, !listener.isReachable else { return }
        loop.log("the socket \(path.path) has been removed: draining, because no client can find this broker")
        loop.stop()
    }

    func draining(in loop: inout BrokerLoop) {}
}
