import PasteboardWire
import TestSupport
import Testing

/// `pasteboard link` and a destination of the other machine that the test plays.
@Suite(.processes) struct LinkProcessTests {
    @Test("A drop over a link ends with its result although the destination's broker is replaced meanwhile")
    func replacedDuringDrop() throws {
        let (near, far) = (try Desk(), try Desk())
        let variables = far.environment.map { "\($0)='\($1)'" }.joined(separator: " ")
        let connect = "exec env -i \(variables) \(try ProcessRunner.program("pasteboard")) connect --silence 10m"
        let link = try near.start("link", "far", "--via", connect)
        try link.waitForErrors(containing: "linked with ")
        let inbox = try RawDropDestination(at: far, name: "inbox")
        let other = try far.start("drop", "--as", "other", "--into", ".")
        try near.directory.write(Desk.bytes(3_000_000), to: "a")
        for name in ["inbox", "other"] {
            try near.succeed("until pasteboard drop --list | grep -q \(name)@far; do :; done")
        }
        let drag = try near.start("drag", "a", "--to", "inbox@far")
        let session = try inbox.propose(.copy)
        try inbox.load(credit: 100_000)
        _ = try inbox.peer.next(.data)
        // The other destination goes to the next broker at once.
        let broker = try far.serve("--replace")
        try far.succeed("until pasteboard drop --list 2>error | grep -q other; do :; done")
        // The link has been told of the end of the other destination by then.
        for _ in 0..<20 { #expect(try near.succeed("pasteboard drop --list").contains("inbox@far")) }
        try inbox.allow(3_000_000)
        while try !inbox.peer.next(.data).header.flags.contains(.last) {}
        try inbox.conclude(session)
        let dragged = try drag.finish()
        #expect(dragged.exitCode == 0, "\(dragged.errorText)")
        try ProcessRunner.end(other, link, broker)
    }
}
