import Glibc
import PasteboardTransport

/// A socket like that of a service manager, which collects the reports of the services it has started.
package struct NotificationSocket: ~Copyable {
    /// The value of `NOTIFY_SOCKET`.
    package let name: String
    private let socket: OwnedDescriptor

    package init(name: String = "pasteboard-test-\(getpid())") throws {
        self.name = "@\(name)"
        self.socket = OwnedDescriptor(adopting: Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + bytes.count)
        let descriptor = socket.raw
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw Unusable(errno: errno) }
    }

    private struct Unusable: Error {
        let errno: CInt
    }

    /// The next report.
    package func next() throws -> String {
        String(decoding: try System.read(socket.raw, upTo: 100), as: UTF8.self)
    }
}
