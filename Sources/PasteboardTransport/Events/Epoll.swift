import CPasteboardSystem
import Glibc

/// The readiness of many descriptors, level-triggered: input that is left unread is reported again.
///
/// A descriptor has to be removed before it is closed. While a duplicate of it exists in any process, such as a passed
/// descriptor, the kernel continues to report it, and it can no longer be removed.
package struct Epoll: ~Copyable, Sendable {
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
    }

    package struct Event: Sendable {
        package let token: UInt64
        private let mask: UInt32

        /// Whether bytes, a connection, an end or an error can be read.
        package var isReadable: Bool { mask & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
        package var isWritable: Bool { mask & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }

        init(_ event: epoll_event) {
            token = pbs_epoll_token(event)
            mask = event.events
        }
    }

    private let descriptor: OwnedDescriptor

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: try System.call("epoll_create") { epoll_create1(CInt(EPOLL_CLOEXEC)) })
    }

    package func add(_ target: CInt, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, target, interest, token)
    }

    package func modify(_ target: CInt, _ interest: Interest, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, target, interest, token)
    }

    package func remove(_ target: CInt) throws(SystemError) {
        try control(EPOLL_CTL_DEL, target, Interest(), 0)
    }

    private func control(
        _ operation: CInt,
        _ target: CInt,
        _ interest: Interest,
        _ token: UInt64
    ) throws(SystemError) {
        var event = pbs_epoll_event(interest.rawValue, token)
        _ = try System.call("epoll_ctl", "descriptor \(target)") {
            epoll_ctl(descriptor.raw, operation, target, &event)
        }
    }

    /// Waits for at most `milliseconds`, or without limit if nil, and replaces the contents of `events`.
    ///
    /// - Returns: false if a signal has ended the wait, also one that continues a stopped process. Then there are no
    ///   events, whatever has arrived.
    @discardableResult
    package func wait(into events: inout EpollEvents, milliseconds: CInt?) throws(SystemError) -> Bool {
        events.count = 0
        let count = epoll_wait(descriptor.raw, events.storage, CInt(EpollEvents.capacity), milliseconds ?? -1)
        if count >= 0 {
            events.count = Int(count)
            return true
        }
        let code = errno
        guard code == EINTR else { throw SystemError(call: "epoll_wait", errno: code) }
        return false
    }
}

/// The events of one wait, in memory that the next wait uses again.
package struct EpollEvents: ~Copyable {
    static let capacity = 256

    // Owned by this value alone, written by the kernel, read below `count` only.
    let storage = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
    package internal(set) var count = 0
    /// Whether there may be further events.
    package var isFull: Bool { mutating get { count == Self.capacity } }

    package init() {}

    package subscript(index: Int) -> Epoll.Event {
        precondition(index >= 0 && index < count)
        return Epoll.Event(storage[index])
    }

    deinit {
        storage.deallocate()
    }
}
