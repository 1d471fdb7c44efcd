import Glibc
import PasteboardTransport

/// A directory in memory for the kept contents of one test. It is removed when this value is deallocated.
package final class KeptBase: Sendable {
    package let path: String

    /// Whether this machine has a file system in memory for it.
    package static var isPossible: Bool {
        guard let shared = try? System.open("/dev/shm", .directory), System.isWritable(shared.raw) else { return false }
        return (try? System.fileSystem(of: shared.raw).isMemory) ?? false
    }

    package init() throws {
        let digits = try System.randomBytes(4).map { String($0, radix: 16) }.joined()
        path = "/dev/shm/pb-test-\(digits)"
        try System.makeDirectory(path)
    }

    deinit {
        _ = try? ChildProcess(.init(path: "/bin/rm", arguments: ["-rf", path])).wait()
    }
}
