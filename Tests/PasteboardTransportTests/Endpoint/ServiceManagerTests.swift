import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct ServiceManagerTests {
    @Test("A socket and a message are for the process that the service manager has started, and for no other")
    func addressed() async {
        await #expect(processExitsWith: .success) {
            // Another thread of this process may have the first number already. Programs of their own show the same in
            // `BrokerLifetimeTests`.
            let isFree = fcntl(0, F_DUPFD, 3) == 3
            let directory = try TemporaryDirectory()
            let listener = try ListeningSocket(path: directory["socket"])
            if isFree, dup2(listener.raw, 3) != 3 { exit(3) }
            try System.setEnvironment("LISTEN_FDS", to: isFree ? "1" : "0")
            try System.setEnvironment("LISTEN_PID", to: "\(System.processID + 1)")
            guard try ServiceManager.passedSockets().isEmpty else { exit(4) }
            try System.setEnvironment("LISTEN_PID", to: "\(System.processID)")
            guard try ServiceManager.passedSockets().map(\.raw) == (isFree ? [3] : []) else { exit(5) }
            // Its children have another manager, or none.
            guard System.environment("LISTEN_PID") == nil, System.environment("LISTEN_FDS") == nil else { exit(6) }
        }
    }

    @Test("A message to a manager that does not exist is dropped")
    func absent() async {
        await #expect(processExitsWith: .success) {
            ServiceManager.notify("READY=1")
            try System.setEnvironment("NOTIFY_SOCKET", to: "/nonexistent/socket")
            ServiceManager.notify("READY=1")
        }
    }
}
