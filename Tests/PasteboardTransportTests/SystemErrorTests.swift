import Glibc
import PasteboardTransport
import PasteboardWire
import Testing

struct SystemErrorTests {
    @Test(
        "Exhausted memory and disk are no-space, exhausted descriptors limit-exceeded, and other errors neither",
        arguments: [
            (ENOMEM, ErrorCode.noSpace), (ENOSPC, .noSpace), (EDQUOT, .noSpace), (EMFILE, .limitExceeded),
            (ENFILE, .limitExceeded), (EACCES, nil),
        ]
    )
    func shortage(number: CInt, code: ErrorCode?) {
        #expect(SystemError(call: "open", errno: number, subject: "/dev/urandom").shortage == code)
    }

    @Test("an error for another process contains a file's name without its directory, even with spaces")
    func withoutDirectory() {
        func text(_ subject: String?) -> String {
            SystemError(call: "open", errno: ENOENT, subject: subject).withoutDirectory.description
        }
        #expect(text("/home/my docs/a report.pdf") == "open a report.pdf: No such file or directory")
        #expect(text("relative/x") == "open relative/x: No such file or directory")
        #expect(text(nil) == "open: No such file or directory")
    }
}
