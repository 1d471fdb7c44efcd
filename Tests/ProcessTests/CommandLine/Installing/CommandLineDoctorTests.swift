import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard doctor` and directories in which nothing can be made.
@Suite(.processes) struct CommandLineDoctorTests {
    @Test(
        "It finds a directory in which nothing can be made, and a full disk, and a failed start has its reason",
        .enabled(if: canMount, "needs root, which alone can mount"),
        arguments: ["mount -o remount,ro disk", "head -c 1M /dev/zero >disk/fill"]
    )
    func disk(fault: String) throws {
        let desk = try Desk(.stateDirectory)
        desk.environment["PASTEBOARD_SOCKET"] = nil
        let script = """
            mkdir disk; mount -t tmpfs -o size=64k,mode=700 none disk; \(fault) 2>/dev/null
            XDG_STATE_HOME=$PWD/disk XDG_RUNTIME_DIR=; export XDG_STATE_HOME XDG_RUNTIME_DIR
            pasteboard doctor; pasteboard copy -e x; echo $?
            """
        try desk.directory.write(script, to: "script")
        let run = try desk.shell("unshare -m sh ./script")
        #expect(run.text.contains("BAD   directory  make files in \(desk.directory["disk"]): "), "\(run.text)")
        #expect(run.text.hasSuffix("3\n"))
        #expect(run.errorText.contains(fault.hasPrefix("mount") ? "Read-only file system" : "No space left"))
    }

    /// Whether this process can make a mount namespace, and whether there is no runtime directory that would be used.
    private static var canMount: Bool {
        let unshare = try? ProcessRunner(
            "/usr/bin/env",
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            environment: [:]
        )
        return (try? unshare?.finish().exitCode) == 0
            && (try? System.status(at: "/run/user/\(System.userID)")) == .some(nil)
    }
}
