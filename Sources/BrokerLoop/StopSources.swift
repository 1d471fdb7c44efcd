import Glibc
package import PasteboardTransport

/// Ends the broker on SIGTERM, SIGINT and SIGHUP. The first signal drains it, the second ends it at once.
package final class SignalSource: EventSource {
    private let signals: SignalDescriptor

    package var descriptor: CInt { signals.raw }

    package init() throws(SystemError) {
        signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
    }

    package func ready(in loop: inout BrokerLoop) {
        while let signal = try? signals.next() {
            loop.log("signal \(signal): \(loop.isDraining ? "ending at once" : "draining")")
            loop.stop()
        }
    }

    package func draining(in loop: inout BrokerLoop) {}
}

/// Ends the broker at the request of another thread.
package final class StopSource: EventSource, Sendable {
    private let event: EventDescriptor

    package var descriptor: CInt { event.raw }

    package init() throws(SystemError) {
        event = try EventDescriptor()
    }

    /// Drains the broker. A second call ends it at once.
    package func signal() {
        event.signal()
    }

    package func ready(in loop: inout BrokerLoop) {
        event.drain()
        loop.stop()
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
