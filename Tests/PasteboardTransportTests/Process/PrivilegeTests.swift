import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Privileges that a thread of this process gives up. The process itself keeps them.
@Suite(.pure)
struct PrivilegeTests {
    @Test(
        "A thread that has given up files only removes those of its directory, writes those of another, and reads /proc"
    )
    func files() throws {
        let directory = try TemporaryDirectory()
        let own = try directory.makeDirectory("own")
        for name in ["own/socket", "own/lock", "file"] { try directory.write("text", to: name) }
        let kept = DescriptorBox(try System.open(try directory.makeDirectory("kept"), .directory))
        let opened = DescriptorBox(try System.open(directory["file"]))
        let codes = try Self.onThread { () -> [String: CInt] in
            let gaveUp = Self.code { try System.giveUpFiles(exceptRemovingFrom: own, writingTo: [kept.raw]) }
            return [
                "give up": gaveUp,
                "read": Self.code { _ = try System.open(directory["file"]) },
                "read own": Self.code { _ = try System.open(directory["own/lock"]) },
                "read process": Self.code { _ = try System.open("/proc/self/stat") },
                "read program": Self.code { _ = try System.open("/proc/self/exe") },
                "list": Self.code { _ = try System.open(own, .directory) },
                "write": Self.code { _ = try System.open(directory["file"], .writing) },
                "create": Self.code { _ = try System.open(directory["own/new"], [.writing, .exclusive]) },
                "make directory": Self.code { try System.makeDirectory(directory["own/d"]) },
                "listen": Self.code { _ = try ListeningSocket(path: directory["own/s"]) },
                "remove": Self.code { try System.unlink(directory["file"]) },
                "run": Self.code { _ = try ChildProcess(.init(path: "/bin/true")).wait() },
                "connect": Self.connectTCP(),

                "write kept": Self.code { _ = try System.open("new", in: kept.raw, [.writing, .exclusive]) },
                "rename kept": Self.code { try System.rename("new", in: kept.raw, to: "b", in: kept.raw) },
                "link kept": Self.code {
                    let file = try MemoryFile(unnamedIn: kept.raw).completed()
                    try System.link(file.descriptor.raw, to: "r", in: kept.raw)
                    withExtendedLifetime(file) {}
                },
                "list kept": Self.code { _ = try System.entries(of: kept.raw) },
                "remove kept": Self.code { try System.unlink("b", in: kept.raw) },
                "read opened": Self.code { _ = try System.read(opened.raw, upTo: 1) },
                "memory": Self.code { _ = try MemoryFile(capacity: 1) { $0.append(1) } },
                "status": Self.code { _ = try System.status(at: directory["file"]) },
                "remove socket": Self.code { try System.unlink(directory["own/socket"]) },
                "remove lock": Self.code { try System.unlink(directory["own/lock"]) },
                "remove directory": Self.code { try System.removeDirectory(own) },
            ]
        }
        // A kernel without Landlock, or one that starts without it.
        if [ENOSYS, EOPNOTSUPP].contains(codes?["give up"]) { return }
        var refused = [
            "read", "read own", "read program", "list", "write", "create", "make directory", "listen",
            "remove", "remove directory", "run",
        ]
        if try Self.kernel() >= (6, 7) { refused.append("connect") }
        for name in refused { #expect(codes?[name] == EACCES, "\(name): \(codes?[name] ?? -1)") }
        let allowed = [
            "give up", "read process", "write kept", "rename kept", "link kept", "list kept", "remove kept",
            "read opened", "memory", "status", "remove socket", "remove lock",
        ]
        for name in allowed {
            #expect(codes?[name] == 0, "\(name): \(codes?[name] ?? -1)")
        }
        // Other threads keep their privileges.
        #expect(try directory.contents(of: "file") == Array("text".utf8))
    }

    @Test("A thread without a directory gives up removing too")
    func withoutDirectory() throws {
        let directory = try TemporaryDirectory()
        try directory.write("text", to: "file")
        let codes = try Self.onThread {
            [
                Self.code { try System.giveUpFiles(exceptRemovingFrom: nil, writingTo: []) },
                Self.code { try System.unlink(directory["file"]) },
                Self.code { _ = try System.open("/proc/self/exe") },
                Self.code { _ = try System.open("/proc/self/stat") },
            ]
        }
        if [ENOSYS, EOPNOTSUPP].contains(codes?.first) { return }
        #expect(codes == [0, EACCES, EACCES, 0])
    }

    /// Runs the closure on a thread of its own, and returns its result.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result? {
        let result = Lock<Result?>(nil)
        try SystemThread(name: "confined") {
            let value = body()
            result.withLock { $0 = value }
        }.join()
        return result.withLock { $0 }
    }

    /// The error number of the call that failed; 0 if none did.
    private static func code(_ body: () throws -> Void) -> CInt {
        do {
            try body()
            return 0
        } catch {
            return (error as? SystemError)?.errno ?? -1
        }
    }

    /// The error number of a connection to a TCP port of this machine.
    private static func connectTCP() -> CInt {
        let socket = OwnedDescriptor(adopting: Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(1).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let raw = socket.raw
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 ? 0 : errno
    }

    /// The first two numbers of the kernel's version.
    private static func kernel() throws -> (Int, Int) {
        let release = String(decoding: try System.contents(of: "/proc/sys/kernel/osrelease"), as: UTF8.self)
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        return (numbers.first ?? 0, numbers.last ?? 0)
    }
}
