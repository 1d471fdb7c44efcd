import Glibc
package import PasteboardTransport

/// Ends the broker on SIGTERM, SIGINT and SIGHUP: the first signal drains it, the second ends it at once. On SIGUSR2 it
/// lets another broker take over.
package final class SignalSource: EventSource {
    private let signals: SignalDescriptor
    package var descriptor: CInt { signals.raw }

    package init() throws(SystemError) {
        signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP, SIGUSR2])
    }

    package func ready(in loop: inout BrokerLoop) {
        while let (signal, value) = try? signals.nextWithValue() {
            guard signal == SIGUSR2 else {
                loop.log("signal \(signal): \(loop.isDraining ? "ending at once" : "draining")")
                loop.stop()
                continue
            }
            guard value == Takeover.value else { continue }
            if !loop.isDraining { loop.log("signal \(signal): another broker takes over") }
            loop.beginTakeover()
        }
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
        guard !listener.isReachable else { return }
        if loop.keepsPath { return loop.pathWasTaken() }
        guard !loop.isDraining else { return }
        loop.log("the socket \(path.path) has been removed: draining, because no client can find this broker")
        loop.stop()
    }

    func draining(in loop: inout BrokerLoop) {}
}
