import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite struct ServiceManagerTests {
    @Test("The service manager is notified by path or by abstract name, and may be absent")
    func notifies() async {
        await #expect(processExitsWith: .success) {
            ServiceManager.notify("READY=1")
            try System.setEnvironment("NOTIFY_SOCKET", to: "/nonexistent/socket")
            ServiceManager.notify("READY=1")
            let socket = try NotificationSocket()
            try System.setEnvironment("NOTIFY_SOCKET", to: socket.name)
            ServiceManager.notify("READY=1")
            guard try socket.next() == "READY=1" else { exit(3) }
        }
    }
}
