import Glibc
import Synchronization

/// Tells whether this process is still the one that made something, or a child of it made by `fork`.
///
/// A comparison of process ids would be a system call before each message. Counting forks costs a load from memory.
package struct ForkGuard: Sendable {
    private let forks: Int
    /// The process that made it.
    package let process: CInt

    package init() {
        self.forks = Self.count()
        self.process = System.processID
    }

    /// Asked for each call of the system: whoever has a guard has counted once, so that counting goes on.
    package var isInOwner: Bool { self.forks == Self.counter.load(ordering: .relaxed) }

    private static let counter = Atomic<Int>(0)
    private static let isCounting: Bool = {
        pthread_atfork(nil, nil) { ForkGuard.counter.add(1, ordering: .relaxed) } == 0
    }()

    private static func count() -> Int {
        _ = self.isCounting
        return self.counter.load(ordering: .relaxed)
    }
}
