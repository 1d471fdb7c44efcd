import CPasteboardSystem
import Glibc

/// A descriptor that any thread makes readable to wake the thread that watches it.
package struct EventDescriptor: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// To be watched for readability.
    package var raw: CInt { descriptor.raw }

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: try System.call("eventfd") { pbs_event_descriptor() })
    }

    /// Makes the descriptor readable. It cannot fail: a counter that is full is readable already.
    package func signal() {
        _ = eventfd_write(descriptor.raw, 1)
    }

    /// Makes the descriptor unreadable until the next signal.
    package func drain() {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.raw, &count)
    }
}
