import Glibc

/// A descriptor with exactly one owner, closed when its owner is destroyed.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number, valid during the lifetime of this value.
    package let raw: CInt

    /// Takes over a descriptor that nothing else closes.
    package init(adopting raw: CInt) {
        self.raw = raw
    }

    /// Returns the number. The caller has to close it.
    package consuming func release() -> CInt {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Not retried: Linux has released the number even if close reports EINTR.
        _ = Glibc.close(raw)
    }
}

/// A shared reference to a descriptor, for collections and continuations, which cannot contain a noncopyable value.
package final class DescriptorBox: Sendable {
    package let raw: CInt
    private let closer: DescriptorCloser?

    /// - Parameter closer: closes the descriptor on its own thread.
    package init(_ descriptor: consuming OwnedDescriptor, closer: DescriptorCloser? = nil) {
        raw = descriptor.release()
        self.closer = closer
    }

    deinit {
        let descriptor = OwnedDescriptor(adopting: raw)
        if let closer { closer.close(descriptor) }
    }
}
