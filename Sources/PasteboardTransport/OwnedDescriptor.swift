import Glibc

/// A descriptor with exactly one owner; it closes with its owner.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid while this value lives.
    package let raw: CInt

    /// Takes over a descriptor that nobody else closes.
    package init(adopting raw: CInt) {
        self.raw = raw
    }

    /// Gives the number away: whoever takes it has to close it.
    package consuming func release() -> CInt {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Never retried: Linux has released the number even where close reports EINTR.
        _ = Glibc.close(raw)
    }
}

/// A shared owner of a descriptor, for collections and continuations, which cannot hold a noncopyable value.
package final class DescriptorBox: Sendable {
    package let raw: CInt
    private let closer: DescriptorCloser?

    /// With a `closer` the descriptor is closed on that one's thread.
    package init(_ descriptor: consuming OwnedDescriptor, closer: DescriptorCloser? = nil) {
        raw = descriptor.release()
        self.closer = closer
    }

    deinit {
        let descriptor = OwnedDescriptor(adopting: raw)
        if let closer { closer.close(descriptor) }
    }
}
