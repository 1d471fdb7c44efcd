import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// The privileges of a running broker.
@Suite(.processes) struct BrokerPrivilegeTests {
    // For root, every process is dumpable.
    @Test(
        "The memory and the descriptors of a broker are closed to the user's other programs",
        .enabled(if: geteuid() != 0, "needs an ordinary user")
    )
    func memory() throws {
        try BrokerProcess.run { broker in
            for file in ["mem", "environ", "maps", "fd/0"] {
                let error = #expect(throws: SystemError.self) {
                    _ = try System.open("/proc/\(broker.runner.child.id)/\(file)")
                }
                #expect(error?.errno == EACCES, "\(file)")
            }
        }
    }
}
