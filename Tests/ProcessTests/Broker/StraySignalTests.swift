import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite("Signals that are not meant for the broker, and the shell's limit on the size of files", .processes)
struct StraySignalTests {
    @Test("Timers, I/O signals and user-defined signals do not end the broker", .tags(.f78))
    func straySignals() throws {
        try BrokerProcess.run { broker in
            let last = __libc_current_sigrtmax()
            for signal in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGXCPU, SIGXFSZ, last] {
                try broker.runner.child.kill(signal)
            }
            try broker.expectService()
        }
    }

    @Test("Bytes that the broker may not store are refused, and the earlier contents stay", .tags(.f62), .unsanitized)
    func brokerFileSize() throws {
        let desk = try Desk()
        // The limit counts blocks of 512 bytes. The first copy starts the broker, which inherits it.
        #expect(try desk.shell("ulimit -f 16; printf before | pasteboard copy").exitCode == 0)
        let copy = try desk.shell("head -c 30000 /dev/zero | pasteboard copy -t .bin")
        #expect(copy.exitCode == 6 && copy.errorText.contains("File too large"), "\(copy.errorText)")
        #expect(try desk.run("paste").text == "before")
    }

    @Test(
        "A paste into a file beyond the limit fails, and leaves nothing in the directory",
        .tags(.f64),
        .unsanitized
    )
    func pasteFileSize() throws {
        let desk = try Desk()
        #expect(try desk.shell("head -c 300000 /dev/zero | pasteboard copy -t .bin").exitCode == 0)
        let paste = try desk.shell("mkdir into; ulimit -f 16; pasteboard paste -o into/out")
        #expect(paste.exitCode == 4 && paste.errorText.contains("File too large"), "\(paste.errorText)")
        #expect(try desk.shell("ls -A into").text.isEmpty)
    }
}
