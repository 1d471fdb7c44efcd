import BrokerState
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) struct DaemonOptionsTests {
    @Test("Option values are the next argument, or follow an equals sign")
    func values() throws {
        let options = try DaemonOptions([
            "--socket=/a/b=c", "--limit", "boards=3", "--limit=drain=7s", "--ready-fd", "9",
        ])
        #expect(options.socket == "/a/b=c" && options.readyDescriptor == 9 && !options.showsHelp)
        #expect(options.limits.boards == 3 && options.limits.drain == 7_000)
        #expect(try options.socketPath().path == "/a/b=c")
        #expect(try DaemonOptions(["--help"]).showsHelp)
    }

    @Test(
        "An unknown or invalid argument causes an error that names it",
        arguments: [
            (["--sockets", "/a"], "'--sockets'"), (["--socket"], "--socket needs a value"),
            (["--socket", "a/b"], "--socket a/b"), (["--limit", "no-such=1"], "no-such"),
            (["--ready-fd", "2"], "--ready-fd"), (["x"], "'x'"),
        ] as [([String], String)]
    )
    func errors(arguments: [String], text: String) {
        let error = #expect(throws: Failure.self) { try DaemonOptions(arguments) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.text.contains(text) == true)
    }
}
