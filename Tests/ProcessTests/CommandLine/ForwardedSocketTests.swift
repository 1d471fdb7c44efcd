import Glibc
import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

/// `pasteboard` at a socket that another program forwards, which drops descriptors without an error, as `ssh` does.
@Suite(.processes, .enabled(if: (try? SystemProgram.path(of: "socat")) != nil, "needs socat"))
struct ForwardedSocketTests {
    private let desk: Desk
    private let forwarder: ProcessRunner

    init() throws {
        desk = try Desk(.socket)
        let directory = try desk.directory.makeDirectory("forwarded")
        // Others may look into it, as into a directory of a container.
        try #require(chmod(directory, 0o755) == 0)
        forwarder = try ProcessRunner(
            try SystemProgram.path(of: "socat"),
            [
                "-d", "-d", "UNIX-LISTEN:\(directory)/socket,fork,mode=600",
                "UNIX-CONNECT:\(desk.environment["PASTEBOARD_SOCKET"] ?? "")",
            ],
            environment: desk.environment
        )
        try forwarder.waitForErrors(containing: "listening on")
    }

    /// Runs a script in which `far` is `pasteboard` at the forwarded socket, and `near` is the one beside the broker.
    private func output(_ script: String) throws -> String {
        let far = "far() { PASTEBOARD_AUTOSTART=0 PASTEBOARD_SOCKET=$PWD/forwarded/socket pasteboard \"$@\"; }"
        return try desk.succeed("exec 2>&1; near() { pasteboard \"$@\"; }; \(far); \(script)")
    }

    @Test("Bytes of every size are copied and pasted in both directions", arguments: [0, 60_000, 66_000, 3_000_000])
    func bytes(count: Int) throws {
        let bytes = Desk.bytes(count)
        try desk.directory.write(bytes, to: "a")
        #expect(
            try output("near copy a; far paste -o b; cmp a b; far copy -t data < a; near paste -t data | cmp - a") == ""
        )
        #expect(try output("far copy a; far paste -o c; cmp a c; near paste -o d; cmp a d") == "")
    }

    @Test("Promises, folders and drops pass")
    func promises() throws {
        try desk.directory.write(Desk.bytes(200_000), to: "a")
        _ = try desk.directory.makeDirectory("folder")
        try desk.directory.write(Desk.bytes(100_000), to: "folder/b")
        let offer = "far offer --once -t data='cat a' 2> /dev/null & near paste --wait -t data | cmp - a; wait"
        // The offer must not start a broker.
        #expect(try output("near copy -e x; near clear; \(offer)") == "")
        #expect(
            try output("far copy folder; mkdir out; near paste --into out > /dev/null; cmp folder/b out/folder/b") == ""
        )
        let drop = "near drop --as there --once --into drops > /dev/null & far drag --wait 60s a --to there > /dev/null"
        #expect(try output("mkdir drops; (\(drop); wait) 2> /dev/null; cmp a drops/a") == "")
    }

    @Test("doctor says that the socket is forwarded, which is no trouble")
    func doctor() throws {
        #expect(
            try output("near copy -e x; far doctor | grep forwarded").contains("good  way        the socket is forw")
        )
    }
}
