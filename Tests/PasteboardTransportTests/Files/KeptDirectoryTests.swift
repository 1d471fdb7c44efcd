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

    @Test(
        "A start removes directories of sockets whose directory is gone, unless a broker uses or another mount has it"
    )
    func abandoned() async throws {
        let gone = SocketPath("\(try directory.makeDirectory("gone"))/socket")
        let used = SocketPath("\(try directory.makeDirectory("used"))/socket")
        let elsewhere = SocketPath("\(try directory.makeDirectory("elsewhere"))/socket")
        func kept(_ socket: SocketPath) -> String { "\(base.path)/\(KeptDirectory.name(for: socket))" }
        do { _ = try KeptDirectory(in: base.path, for: gone) }
        do { _ = try KeptDirectory(in: base.path, for: elsewhere) }
        let note = try System.open("\(kept(elsewhere))/socket", [.writing, .truncating])
        try System.write(Array("\(elsewhere.path)\0mnt:[1]".utf8).span, to: note.raw)
        let other = try KeptDirectory(in: base.path, for: used)
        for name in ["gone", "used", "elsewhere"] { try System.removeDirectory(directory[name]) }
        _ = try KeptDirectory(in: base.path, for: SocketPath(directory["socket"]))
        try await eventually("the removal") { try System.status(at: kept(gone)) == nil }
        for socket in [used, elsewhere] { #expect(try System.status(at: kept(socket)) != nil) }
        withExtendedLifetime(other) {}
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
