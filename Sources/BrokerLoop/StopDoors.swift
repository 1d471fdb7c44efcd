import Glibc
package import PasteboardTransport

/// Ends the broker on SIGTERM, SIGINT and SIGHUP: the first time it drains, the second time at once.
package final class SignalDoor: Door {
    private let signals: SignalDescriptor

    package var descriptor: CInt { self.signals.raw }

    package init() throws(SystemError) {
        self.signals = try SignalDescriptor([SIGTERM, SIGINT, SIGHUP])
    }

    package func opened(in loop: inout BrokerLoop) {
        while let signal = try? self.signals.next() {
            loop.log("signal \(signal): \(loop.isDraining ? "ending at once" : "draining")")
            loop.stop()
        }
    }

    package func closes(in loop: inout BrokerLoop) {}
}

/// Lets another thread end the broker.
package final class StopDoor: Door, Sendable {
    private let event: EventDescriptor

    package var descriptor: CInt { self.event.raw }

    package init() throws(SystemError) {
        self.event = try EventDescriptor()
    }

    /// The first time the broker drains, the second time it ends at once.
    package func signal() {
        self.event.signal()
    }

    package func opened(in loop: inout BrokerLoop) {
        self.event.drain()
        loop.stop()
    }

    package func closes(in loop: inout BrokerLoop) {}
}

/// Ends a broker whose socket nobody can find any more, because it or its directory was removed.
package final class VanishedPlaceDoor: Door {
    private let watch: DirectoryWatch
    private let listening: ListeningDoor
    private let place: SocketPlace

    package var descriptor: CInt { self.watch.raw }

    package init(_ place: SocketPlace, of listening: ListeningDoor) throws(SystemError) {
        self.watch = try DirectoryWatch(place.directory)
        self.place = place
        self.listening = listening
    }

    package func opened(in loop: inout BrokerLoop) {
        self.watch.drain()
        guard !loop.isDraining, !self.listening.isReachable else { return }
        loop.log("\(self.place.socket) has been removed: draining, since nobody can find this broker")
        loop.stop()
    }

    package func closes(in loop: inout BrokerLoop) {}
}
