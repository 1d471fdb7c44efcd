import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure)
struct SystemErrorTests {
    @Test(
        "a lack of memory or disk space is no-space, a lack of descriptors limit-exceeded, no other error is either",
        .tags(.f61),
        arguments: [
            (ENOMEM, ErrorCode.noSpace), (ENOSPC, .noSpace), (EDQUOT, .noSpace), (EMFILE, .limitExceeded),
            (ENFILE, .limitExceeded), (EACCES, nil),
        ]
    )
    func shortage(number: CInt, code: ErrorCode?) {
        #expect(SystemError(call: "open", errno: number, subject: "/dev/urandom").shortage == code)
    }

    @Test("for another process the error names a file without its directory, even one with spaces")
    func withoutDirectory() {
        func text(_ subject: String?) -> String {
            SystemError(call: "open", errno: ENOENT, subject: subject).withoutDirectory.description
        }
        #expect(text("/home/my docs/a report.pdf") == "open a report.pdf: No such file or directory")
        #expect(text("relative/x") == "open relative/x: No such file or directory")
        #expect(text(nil) == "open: No such file or directory")
    }
}
