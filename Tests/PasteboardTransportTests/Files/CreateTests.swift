import Glibc
import TestSupport
import Testing

@testable import PasteboardTransport

/// Files whose names another process may have chosen.
@Suite(.pure)
struct CreateTests {
    typealias Opening = @Sendable (CInt, UnsafePointer<CChar>, CInt, UInt32) -> CInt

    /// A kernel without the call, and a container that refuses it.
    private static func refusing(_ code: CInt) -> Opening {
        { _, _, _, _ in
            errno = code
            return -1
        }
    }

    private static let refusals: [CInt?] = [nil, ENOSYS, EPERM]

    private func create(
        _ name: String,
        in directory: String,
        _ refusal: CInt?
    ) throws(SystemError) -> OwnedDescriptor {
        let directory = try System.open(directory, [.nameOnly, .directory])
        let name = SystemString(name)
        guard let refusal else { return try System.create(name, in: directory.raw, mode: 0o640) }
        return try System.create(name, in: directory.raw, mode: 0o640, open: Self.refusing(refusal))
    }

    @Test("A file is created in its directory, with its mode", arguments: refusals)
    func created(refusal: CInt?) throws {
        let directory = try TemporaryDirectory()
        for name in ["a", "..a", "-", "\n"] {
            let file = try create(name, in: directory.path, refusal)
            try System.write([1, 2].span, to: file.raw)
            #expect(try directory.contents(of: name) == [1, 2])
            #expect(try System.status(at: directory[name])?.mode == 0o640)
        }
    }

    @Test("No name and no link leads out of the directory", arguments: refusals)
    func beneath(refusal: CInt?) throws {
        let directory = try TemporaryDirectory()
        let inside = try directory.makeDirectory("in")
        let outside = try directory.makeDirectory("out")
        try directory.write("old", to: "out/old")
        try #require(symlink("../out/new", directory["in/new"]) == 0)
        try #require(symlink("../out/old", directory["in/old"]) == 0)
        try #require(symlink("../out", directory["in/link"]) == 0)
        try #require(symlink("/proc/self/fd", directory["in/magic"]) == 0)
        let names = [
            "../new", "../out/new", "link/new", "\(outside)/new", "/new-\(getpid())", "new", "old", "link", "magic/1",
            "..", ".", "/", "",
        ]
        for name in names {
            #expect(throws: SystemError.self, "\(name)") { _ = try create(name, in: inside, refusal) }
        }
        #expect(directory.names() == ["in", "out"])
        #expect(directory.names(in: "in") == ["link", "magic", "new", "old"])
        #expect(directory.names(in: "out") == ["old"])
        #expect(try directory.contents(of: "out/old") == Array("old".utf8))
        #expect(try System.status(at: "/new-\(getpid())") == nil)
    }
}
