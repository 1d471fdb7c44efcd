import Glibc
import Synchronization

/// Detects use of an object in a child that was created by `fork`.
///
/// Comparing process ids would be a system call before each message. Counting forks costs a load from memory.
package struct ForkGuard: Sendable {
    private let forks: Int
    /// The process that created the guard.
    package let process: CInt

    package init() {
        self.forks = Self.count()
        self.process = System.processID
    }

    /// Whether this process created the guard. Called before each system call; creating a guard has installed the
    /// counter.
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
