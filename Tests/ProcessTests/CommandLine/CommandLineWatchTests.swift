import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard watch` and a peer that the test plays.
@Suite(.processes) struct CommandLineWatchTests {
    @Test("Clears of another program do not end the watch, whatever that program calls itself")
    func othersClear() throws {
        let desk = try Desk()
        try desk.copy("first")
        let script = "echo $PASTEBOARD_STATE; while [ ! -e go ]; do sleep 0.01; done"
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", script])
        #expect(try watch.nextLine() == "data")
        let observer = try desk.start("watch", "--since", "0")
        _ = try observer.nextLine()
        let other = try ScriptedPeer(greeting: desk, label: "x (watch \(watch.child.id))")
        for number in 0..<8 as Range<UInt64> {
            try other.send(Clear(), stream: 2 * number + 1)
            #expect(try observer.nextLine().hasSuffix("  clear"))
        }
        try desk.directory.write("", to: "go")
        #expect(try watch.nextLine() == "clear")
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }
}

extension Desk {
    /// Starts `pasteboard watch` with this package's programs in its path.
    func watch(_ arguments: [String]) throws -> ProcessRunner {
        var environment = self.environment
        environment["PATH"] = "\(System.directory(of: try System.programPath())):\(environment["PATH"] ?? "")"
        return try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["watch"] + arguments,
            environment: environment,
            directory: directory.path
        )
    }
}
