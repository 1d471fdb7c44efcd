import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// The command line as a whole: help, usage, the commands that only look, and errors of the broker.
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

    @Test(
        "An invalid command line is refused in one line, and starts nothing",
        arguments: [
            "unknown", "copy --unknown", "copy -x", "copy -t", "copy --json=1", "copy -n=1", "paste operand",
            "paste --timeout x",
            "paste --timeout 0", "paste --timeout 5y", "paste --item x", "paste -t nonsense", "copy -t image",
            "copy -t .png -t .txt",
            "copy -t .png=a b", "copy --name n a b", "types --board a/b", "types --board ''",
            "paste --board a --board b",
            "install --prefix relative", "uninstall operand", "completions", "completions csh", "manual nonsense",
            "manual copy --all x", "units timer", "units socket service", "install --shims-dir /usr/bin",
            "install --shims-dir ../bin", "install --destdir root",
            "paste -o ''", "paste -p -b a", "copy --primary --board a", "broker --limit nonsense=1",
            "broker --socket relative", "watch -b '*'", "run", "run --limit nonsense=1 -- true",
            "run --limit idle-exit=30 true", "run true -x", "doctor x",
        ]
    )
    func usage(arguments: String) throws {
        let desk = try Desk()
        let refused = try desk.shell("pasteboard \(arguments)")
        #expect(refused.exitCode == 2)
        #expect(refused.output.isEmpty)
        #expect(refused.errorText.hasPrefix("pasteboard: "))
        #expect(refused.errorText.split(separator: "\n").count == 1)
        #expect(try desk.run("status").exitCode == 3)
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

    @Test("Without arguments the program shows help, as an error")
    func bare() throws {
        let bare = try Desk().run()
        #expect(bare.exitCode == 2)
        #expect(bare.text.hasPrefix("usage: pasteboard COMMAND"))
    }

    @Test("The help of the broker program fits on a terminal too")
    func daemonHelp() throws {
        let help = try ProcessRunner(try ProcessRunner.program("pasteboardd"), ["--help"], environment: [:]).finish()
        #expect(help.text.hasPrefix("usage: pasteboardd "))
        for line in help.text.split(separator: "\n") { #expect(line.count <= 80) }
    }

    @Test(
        "The error for a mistyped command or option suggests the right one",
        arguments: [
            ("cpoy", "copy"), ("past", "paste"), ("copy --nam x", "--name"), ("paste --outptu x", "--output"),
            ("paste --out x", "--output"), ("--hepl", "--help"), ("--verson", "--version"),
        ]
    )
    func mistyped(arguments: String, meant: String) throws {
        let refused = try Desk().shell("pasteboard \(arguments)")
        #expect(refused.exitCode == 2)
        #expect(refused.errorText.hasSuffix("; did you mean '\(meant)'?\n"))
        #expect(try Desk().shell("pasteboard xyzzy").errorText.hasSuffix("; see pasteboard --help\n"))
    }

    @Test("The primary pasteboard has a flag, and the version has a short one")
    func short() throws {
        let desk = try Desk()
        try desk.copy("first", "-p")
        #expect(try desk.run("paste", "-b", "primary").text == "first")
        #expect(try desk.run("types", "--primary").exitCode == 0)
        #expect(try desk.run("clear", "-p").exitCode == 0)
        #expect(try desk.run("paste", "-p").exitCode == 1)
        #expect(try desk.run("-V").text == desk.run("version").text)
    }

    @Test("Quiet commands leave out notes, and the error of an empty pasteboard")
    func quiet() throws {
        let desk = try Desk()
        for command in ["paste -q", "types --quiet"] {
            let empty = try desk.shell("pasteboard \(command)")
            #expect(empty.exitCode == 1)
            #expect(empty.output.isEmpty && empty.errors.isEmpty)
        }
        try desk.directory.write("1", to: "1.txt")
        try desk.directory.write("2", to: "2.txt")
        try desk.run("copy", "1.txt", "2.txt")
        let first = try desk.run("paste", "-q")
        #expect(first.text == "1" && first.errors.isEmpty)
        let image = try desk.run("paste", "-q", "-t", "image")
        #expect(image.exitCode == 1 && image.errors.isEmpty)
        let missing = try desk.run("paste", "-q", "-o", "missing/file")
        #expect(missing.exitCode == 4 && !missing.errors.isEmpty)
    }

    @Test("Commands about the broker need a running one; those about contents do not")
    func withoutBroker() throws {
        let desk = try Desk()
        for command in ["stop", "status", "limits"] {
            let failed = try desk.run(command)
            #expect(failed.exitCode == 3)
            #expect(failed.errorText.contains("no broker is running at \(desk.directory.path)/run/pasteboard/socket"))
        }
        #expect(try desk.run("list").exitCode == 0)
        #expect(try desk.run("list", "--json").text == "[]\n")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try desk.run("version").text == "pasteboard \(ProgramVersion.current)\n")
        #expect(try desk.run("version", "--json").text.hasSuffix(#","broker":null}\#n"#))
        #expect(try desk.run("--version").exitCode == 0)
        try desk.directory.write("a bad line\n", to: ".config/pasteboard/config")
        #expect(try desk.shell("pasteboardd --version").text == "pasteboardd \(ProgramVersion.current)\n")
        #expect(desk.directory.names(in: "run").isEmpty)
        #expect(try desk.run("status").errorText.hasSuffix("; copy, offer and drop start one\n"))
        #expect(try desk.run("stop").errorText.hasSuffix("/socket\n"))
        #expect(try desk.run("drag", "--to", "x").exitCode == 1)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        for command in ["copy", "paste", "types", "list", "clear", "drag --to x", "drop --list"] {
            let failed = try desk.shell("pasteboard \(command)")
            #expect(failed.exitCode == 3)
            #expect(failed.errorText.contains("PASTEBOARD_AUTOSTART is 0"))
        }
    }

    @Test("A mistyped socket path creates at most its last directory")
    func mistypedSocket() throws {
        let desk = try Desk(.socket)
        desk.environment["PASTEBOARD_SOCKET"] = desk.directory["no/such/socket"]
        let refused = try desk.run("copy")
        #expect(refused.exitCode == 3)
        #expect(refused.errorText.contains("the directory \(desk.directory["no"]) for the socket"))
        #expect(try desk.run("broker", "--socket", desk.directory["no/such/socket"]).exitCode == 3)
        #expect(!desk.directory.names().contains("no"))
        desk.environment["PASTEBOARD_SOCKET"] = desk.directory["new/socket"]
        #expect(try desk.run("copy").exitCode == 0)
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

    @Test("The command's own error contains the reason why a broker did not start")
    func wrongConfiguration() throws {
        let desk = try Desk(limits: "drain = 1s\nkept-pool = many\n")
        for _ in 0..<2 {
            let failed = try desk.run("copy")
            #expect(failed.exitCode == 3)
            #expect(failed.errorText.contains("config, line 2: invalid value 'many' for limit kept-pool"))
            #expect(failed.errorText.split(separator: "\n").count == 1)
        }
    }

    @Test("Limits of the environment override the configuration file, and an error about one names the variable")
    func environmentLimits() throws {
        let desk = try Desk(limits: "boards = 3\nobjects = 2000\n")
        desk.environment["PASTEBOARD_LIMITS"] = " objects=1000\tkept-pool=1.5MiB\n"
        try desk.copy("x")
        let limits = try desk.run("limits", "--json").text
        for (name, value) in [("boards", 3), ("objects", 1_000), ("kept-pool", 3 << 19)] {
            #expect(limits.contains("\"name\":\"\(name)\",\"value\":\(value),"), "\(name)")
        }
        try desk.run("stop")
        desk.environment["PASTEBOARD_LIMITS"] = "boards=3 idle-exit=30"
        for (command, code) in [("broker", 2), ("copy", 3)] as [(String, CInt)] {
            let failed = try desk.run(command)
            #expect(failed.exitCode == code && failed.errorText.split(separator: "\n").count == 1)
            let text = "PASTEBOARD_LIMITS: invalid value '30' for limit idle-exit; write a time"
            #expect(failed.errorText.contains(text), "\(failed.errorText)")
        }
    }

    @Test(
        "A program that cannot read its arguments says so, and does nothing else",
        .enabled(if: geteuid() == 0, "needs root, which alone can unmount /proc"),
        .unsanitized
    )
    func noArguments() throws {
        let desk = try Desk()
        let script = "unshare -m true || exit 77; unshare -m sh -c 'umount -l /proc; exec \"$@\"' -"
        // A container may not allow root to unmount anything.
        guard try desk.shell("\(script) true").exitCode == 0 else { return }
        for (program, code) in [("pasteboard version", 4), ("pasteboardd --socket $PWD/other", 3)] {
            let failed = try desk.shell("\(script) \(program)")
            #expect(failed.exitCode == code && failed.text.isEmpty)
            let reason = "cannot read the arguments of this program from /proc/self/cmdline: No such file or directory"
            #expect(failed.errorText.hasSuffix(": \(reason)\n"), "\(failed.errorText)")
        }
    }

    @Test("The types of an empty pasteboard are a valid document, and table columns are aligned by terminal cells")
    func tables() throws {
        let desk = try Desk()
        let empty = try desk.run("types", "--json")
        #expect(empty.exitCode == 1)
        #expect(
            empty.text.hasPrefix(#"{"board":"general","changeCount":"#) && empty.text.hasSuffix(#","items":[]}\#n"#)
        )
        try desk.copy("x", "--name", "one.txt")
        #expect(try desk.run("types").text == "public.plain-text  1  kept  one.txt\n")
        try desk.copy("x", "-b", "日本")
        let list = try desk.run("list").text.split(separator: "\n")
        #expect(list.map { $0.prefix { $0 != "1" } } == ["general  ", "日本     "])
        #expect(TextTable.text([[], []]) == "\n\n")
        #expect(TextTable.text([["e\u{301}", "x"], ["👨‍👩‍👧", "y"], ["abc", "z"]]) == "e\u{301}    x\n👨‍👩‍👧   y\nabc  z\n")
    }

    @Test("The types on pasteboards are shown as text and as JSON, and never the contents")
    func looking() throws {
        let desk = try Desk()
        try desk.copy("secret words", "--name", "a \"b\".txt")
        try desk.copy("", "--board", "other", "-t", ".png")
        let types = try desk.run("types", "--json").text
        #expect(types.contains(#""board":"general","changeCount":"#))
        #expect(
            types.contains(
                #""items":[{"name":"a \"b\".txt","types":[{"type":"public.plain-text","mime":"text/plain","#
                    + #""extension":"txt","size":12,"state":"kept","supertypes":["public.text","#
            )
        )
        let list = try desk.run("list").text.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list[0].hasPrefix("general  1 item  12 bytes kept  pasteboard ("))
        #expect(list[1].hasPrefix("other    1 item  0 bytes kept   pasteboard ("))
        #expect(try desk.run("list", "--json").text.contains(#"{"board":"other","#))
        let status = try desk.run("status").text
        #expect(
            status.contains("\nprograms\n") && status.contains("\npasteboards\n") && status.contains("\ncounters\n")
        )
        #expect(try desk.run("status", "--json").text.hasPrefix(#"{"broker":{"version":"\#(ProgramVersion.current)""#))
        for command in ["types", "list", "status"] {
            for arguments in [[], ["--json"]] {
                #expect(try !desk.shell("pasteboard \(command) \(arguments.joined())").text.contains("secret"))
            }
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

    @Test("Limits are shown with the values that were set")
    func limits() throws {
        let desk = try Desk(limits: "# for a test\nkept-pool = 3MiB\nfirst-byte = 2m\n")
        try desk.copy("x")
        let limits = try desk.run("limits").text
        #expect(limits.contains(#/\nkept-pool +3.0 MiB +bytes kept for all/#))
        #expect(limits.contains(#/\nfirst-byte +2 min +time from a request/#))
        #expect(
            try desk.run("limits", "--json").text.contains(#"{"name":"kept-pool","value":3145728,"meaning":"bytes: "#)
        )
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

    @Test("The limits of the protocol are shown, and setting one reports that it is fixed")
    func fixedLimits() throws {
        let desk = try Desk()
        try desk.copy("x")
        let limits = try desk.run("limits", "--json").text
        #expect(limits.contains(#"{"name":"items","value":512,"meaning":"count: items of one pasteboard"#))
        #expect(limits.contains(#"{"name":"representations","value":64,"#) && limits.contains("fixed by the protocol"))
        let set = try desk.run("broker", "--limit", "items=1000")
        #expect(set.exitCode == 2 && set.errorText.contains("cannot set limit items: the protocol fixes it at 512"))
    }

    @Test("The broker runs in the foreground until it is stopped, and only one can run")
    func broker() throws {
        let desk = try Desk()
        let broker = try desk.start("broker")
        // The first client may run before the broker and would start another one, so auto-start is disabled.
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        while try desk.run("status").exitCode != 0 {}
        try desk.copy("x")
        let second = try desk.run("broker")
        #expect(second.exitCode == 3)
        #expect(second.errorText.contains("a broker is already running"))
        #expect(try desk.run("stop").exitCode == 0)
        #expect(try broker.finish().exitCode == 0)
        #expect(try desk.run("stop").exitCode == 3)
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

    @Test("status shows which connections have ended, and the processes; never contents")
    func history() throws {
        let desk = try Desk()
        try desk.copy("a secret")
        #expect(try desk.run("paste").text == "a secret")
        try desk.copy("another")
        let status = try desk.run("status").text
        #expect(status.contains(#/processes\n  process \d+ +1 connection +about .* of processor time/#))
        #expect(status.contains(#/last ended connections\n  pasteboard/#))
        #expect(!status.contains("secret"))
    }
}
