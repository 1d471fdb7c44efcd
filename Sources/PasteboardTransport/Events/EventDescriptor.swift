import CPasteboardSystem
import Glibc

/// A descriptor that any thread can make readable, to wake the thread that watches it.
package struct EventDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// Readable after a signal.
    package var raw: CInt { descriptor.raw }

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: try System.call("eventfd") { pbs_event_descriptor() })
    }

    /// Makes the descriptor readable. The call cannot fail: if the counter is full, the descriptor is readable.
    package func signal() {
        _ = eventfd_write(descriptor.raw, 1)
    }

    /// Makes the descriptor unreadable until the next signal.
    package func drain() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.raw, &count)
    }
}
