import Glibc
import PasteboardTransport
import Testing

@Suite struct ServiceManagerTests {
    @Test("The service manager is notified by path or by abstract name, and may be absent")
    func notifies() async {
        await #expect(processExitsWith: .success) {
            ServiceManager.notify("READY=1")
            try System.setEnvironment("NOTIFY_SOCKET", to: "/nonexistent/socket")
            ServiceManager.notify("READY=1")
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array("pasteboard-test-\(getpid())".utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.count)
            let socket = OwnedDescriptor(adopting: socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0))
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.raw, $0, length) }
            }
            guard bound == 0 else { exit(2) }
            try System.setEnvironment("NOTIFY_SOCKET", to: "@" + String(decoding: name, as: UTF8.self))
            ServiceManager.notify("READY=1")
            guard try System.read(socket.raw, upTo: 100) == Array("READY=1".utf8) else { exit(3) }
        }
    }
}
