import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// The command line as a whole: help and versions, and errors of the broker.
@Suite(.processes) struct CommandLineTests {
    @Test(
        "Every command has a help text, and the general help lists them all",
        arguments: CommandLineTool.commands.map { $0.syntax.name }
    )
    func help(command: String) throws {
        let desk = try Desk()
        let help = try desk.run(command, "--help")
        #expect(help.exitCode == 0)
        #expect(help.text.hasPrefix("usage: pasteboard \(command) "))
        #expect(try desk.run("help", command).text == help.text)
        let top = try desk.run("--help").text
        #expect(top.contains("\n  \(command) "))
        for line in (help.text + top).split(separator: "\n") { #expect(line.count <= 80 && line.last != " ") }
        for title in ["\nExamples:\n", "\nExit status: ", "\nFiles:\n"] { #expect(help.text.contains(title)) }
        #expect(help.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 51)
        #expect(top.split(separator: "\n", omittingEmptySubsequences: false).count <= 50)
    }

    @Test("The manual page lists the exit codes of the documentation, with the same meanings")
    func documentedExitCodes() throws {
        let lines = try Desk().run("manual").text.split(separator: "\n").map {
            $0.hasPrefix(".It ") ? $0.dropFirst(4) : $0
        }
        let help = lines.joined(separator: " ").replacing("\\-", with: "-")
        let page = try Document("Sources/PasteboardKit/PasteboardKit.docc/CommandReference.md")
        let table = page.table("code").dropFirst()
        #expect(table.count == 16)
        for row in table { #expect(help.contains(row.joined(separator: " ")), "\(row)") }
    }

    @Test(
        "A socket that the user names and behind which no broker can be is an error, never an empty pasteboard",
        arguments: ["no/such/socket", "file", "other"]
    )
    func wrongSocket(path: String) throws {
        let desk = try Desk(.socket)
        try desk.directory.write("", to: "file")
        // Another server, which answers everybody at once.
        let listener = try ListeningSocket(path: desk.directory["other"])
        let raw = listener.raw
        let server = try SystemThread(name: "server") {
            while true {
                let peer = Glibc.accept(raw, nil, nil)
                guard peer >= 0 else { return }
                let socket = OwnedDescriptor(adopting: peer)
                try? System.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).span, to: socket.raw)
            }
        }
        defer {
            shutdown(raw, CInt(SHUT_RDWR))
            server.join()
        }
        desk.environment["PASTEBOARD_SOCKET"] = desk.directory[path]
        for command in ["paste", "types", "info", "list", "clear", "status", "drop --list", "stop"] {
            let failed = try desk.shell("pasteboard \(command) </dev/null")
            #expect(failed.exitCode == 3 && failed.errorText.contains(desk.directory[path]), "\(failed.errorText)")
        }
        for name in ["pbpaste", "wl-paste", "xclip -o", "xsel -bo", "xsel -bc", "wl-copy --clear"] {
            let program = name.prefix { $0 != " " }
            let failed = try desk.shell("ln -sf \"$(command -v pasteboard)\" \(program); ./\(name) </dev/null")
            #expect(failed.exitCode == 1 && failed.errorText.contains(desk.directory[path]), "\(failed.errorText)")
        }
    }

    @Test("Each error code of the protocol has its exit code, and an unknown one counts as another version")
    func exitCodes() {
        for number in 1...UInt32(ErrorCode.names.count) {
            let code = ErrorCode(rawValue: number)
            #expect(CommandFailure.knownExitCode(of: code) != nil, "\(code)")
        }
        let unknown = ErrorCode(rawValue: UInt32(ErrorCode.names.count) + 1)
        #expect(CommandFailure.knownExitCode(of: unknown) == nil)
        #expect(CommandFailure.exitCode(of: unknown) == CommandFailure.exitCode(of: .versionMismatch))
    }

    @Test("The versions and features of the program and of the broker are available to other programs")
    func versions() throws {
        let desk = try Desk()
        try desk.copy("x")
        let features = Feature.allCases.map { "\"\($0)\"" }.joined(separator: ",")
        let version = #"{"version":"\#(ProgramVersion.current)","protocol":1,"features":[\#(features)]"#
        #expect(try desk.run("version", "--json").text.hasPrefix(#"\#(version),"broker":\#(version),"process":"#))
    }

    @Test("The limits and the demo fit the terminal, and are not broken elsewhere", arguments: [80, 100])
    func widths(columns: Int) throws {
        let desk = try Desk()
        try desk.copy("x")
        for command in ["limits", "demo"] {
            let terminal = try PseudoTerminal()
            terminal.resize(columns: columns, rows: 24)
            let shown = try desk.run(command, standardOutput: terminal.other)
            #expect(shown.exitCode == 0, "\(shown.errorText)")
            let lines = try terminal.shown().split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
            let whole = try desk.run(command).text.split(separator: "\n")
            #expect(whole.count < lines.count && whole.contains { $0.count > columns })
        }
    }

    @Test("Brokers with protocol errors, another version or unknown error codes cause different errors", .tags(.f88))
    func strangeBrokers() throws {
        let desk = try Desk(.socket)
        let path = desk.directory["socket"]
        func paste(_ play: (ScriptedPeer) throws -> Void) throws -> ProcessRunner.Finished {
            try? System.unlink(path)
            var listener = try ListeningSocket(path: path)
            let paste = try desk.start("paste")
            _ = try System.poll([PollInterest(listener.raw, .readable)], milliseconds: ProcessRunner.watchdog)
            let peer = ScriptedPeer(try Self.accept(from: &listener))
            try play(peer)
            let finished = try paste.finish()
            return finished
        }
        let violation = try paste { try $0.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n and so on".utf8)) }
        #expect(violation.exitCode == 3 && violation.errorText.contains("is not a pasteboard broker"))
        let version = try paste { peer in
            var welcome = Welcome.standard()
            welcome.version = 9
            try peer.send(welcome, stream: 0)
        }
        #expect(version.exitCode == 9)
        #expect(version.errorText.contains("version 9"))
        let cancelled = try paste { peer in
            try peer.welcome()
            let load = try peer.next(.load)
            try peer.send(Failure(.cancelled, "no \u{1B}[2J more\u{202E}"), stream: load.stream)
        }
        #expect(cancelled.exitCode == 8)
        #expect(cancelled.errorText == "pasteboard: paste: no ^[[2J more\\xE2\\x80\\xAE\n")
        let gone = try paste { peer in
            try peer.welcome()
            let load = try peer.next(.load)
            try peer.send(Answer(), stream: load.stream)
            try peer.sendData(Array("half".utf8), stream: load.stream)
            peer.close()
        }
        #expect(gone.exitCode == 3)
        #expect(gone.text == "half")
        // The end of the test has no broker to stop.
        try System.unlink(path)
    }

    private static func accept(from listener: inout ListeningSocket) throws -> OwnedDescriptor {
        switch try listener.accept() {
        case .connection(let socket): return socket
        default: throw ScriptedPeerError.nothingCame
        }
    }
}
