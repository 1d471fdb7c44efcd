import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure, .enabled(if: KeptBase.isPossible, "/dev/shm is no tmpfs")) struct KeptDirectoryTests {
    private let base: KeptBase
    private let directory: TemporaryDirectory

    init() throws {
        base = try KeptBase()
        directory = try TemporaryDirectory()
    }

    @Test("One broker at a time uses a directory, which only its user may enter")
    func lock() throws {
        let socket = SocketPath(directory["socket"])
        let kept = try KeptDirectory(in: base.path, for: socket)
        #expect(try System.status(at: kept.path)?.mode == 0o700)
        let error = #expect(throws: Failure.self) { _ = try KeptDirectory(in: base.path, for: socket) }
        #expect(error?.code == .noSpace)
        withExtendedLifetime(kept) {}
    }

    @Test("A directory that is a link, or is not in memory, is refused")
    func refused() throws {
        let socket = SocketPath(directory["socket"])
        try System.makeDirectory("\(base.path)/real")
        try System.makeLink(to: "\(base.path)/real", at: "\(base.path)/link")
        #expect(throws: Failure.self) { _ = try KeptDirectory(in: "\(base.path)/link", for: socket) }
    }

    @Test("The directory is in the first tmpfs of this user that is not the directory of the socket, or around it")
    func place() async {
        await #expect(processExitsWith: .success) {
            let base = try KeptBase()
            let (socket, inside) = (SocketPath("/proc/s"), "\(base.path)/a/socket")
            try System.makeDirectory("\(base.path)/a")
            for (runtime, socket, isThere) in [
                (base.path, socket, true), (base.path, SocketPath(inside), true),
                (base.path, SocketPath("\(base.path)/socket"), false), ("\(base.path)/a", SocketPath(inside), false),
                ("\(base.path)/a", SocketPath("\(base.path)/socket"), false), ("/proc", socket, false),
                ("relative", socket, false), ("\(base.path)/missing", socket, false),
            ] {
                try System.setEnvironment("XDG_RUNTIME_DIR", to: runtime)
                let path = KeptDirectory.path(for: socket)
                #expect((path?.hasPrefix("\(runtime)/pasteboard.kept/") ?? false) == isThere, "\(runtime) \(socket)")
                #expect(path?.hasPrefix("\(socket.directory)/pasteboard") != true)
            }
        }
    }
}
