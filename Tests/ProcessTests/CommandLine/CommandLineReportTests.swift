import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// Results and errors as JSON, and the timeouts of commands.
@Suite(.processes) struct CommandLineReportTests {
    @Test("An error is one line of JSON with --json, also if the arguments are wrong")
    func errors() throws {
        let desk = try Desk()
        for (arguments, start) in [
            ("paste --json", #"{"command":"paste","code":"nothing-here","message":"pasteboard general is empty","#),
            ("copy --json -x", #"{"command":"copy","code":"invalid-argument","message":"unknown option '-x'"#),
            ("copy --json none.txt", #"{"command":"copy","code":"local-error","message":"cannot read none.txt: "#),
            ("status --json", #"{"command":"status","code":"broker-unavailable","#),
            ("nonsense --json", #"{"command":null,"code":"invalid-argument","#),
        ] {
            let failed = try desk.shell("pasteboard \(arguments)")
            #expect(failed.errorText.hasPrefix(start), "\(failed.errorText)")
            #expect(failed.errorText.hasSuffix(#""exitCode":\#(failed.exitCode)}"# + "\n") && failed.text.isEmpty)
            #expect(failed.errorText.split(separator: "\n").count == 1)
        }
        try desk.copy("x")
        let unavailable = try desk.run("paste", "--json", "-t", "image").errorText
        #expect(unavailable.contains(#""code":"type-unavailable","#))
        #expect(unavailable.hasSuffix(#""detail":["public.utf8-plain-text"],"exitCode":1}"# + "\n"))
        #expect(try desk.run("paste", "-q", "--json", "-t", "image").errors.isEmpty)
        #expect(try desk.run("copy", "--", "--json").errorText.hasPrefix("pasteboard: copy: cannot read --json"))
    }

    @Test("What was pasted is reported on the stream that the bytes do not use")
    func paste() throws {
        let desk = try Desk()
        try desk.directory.write("1\n", to: "a b.txt")
        try desk.directory.write(Desk.bytes(300_000), to: "big.png")
        let copied = try desk.run("copy", "--json", "a b.txt", "big.png").text
        let count = try #require(copied.firstMatch(of: /"changeCount":[0-9]+/)?.0)
        let first =
            #"{"board":"general",\#(count),"item":1,"type":"public.plain-text","bytes":2,"name":"a b.txt","path":"#
        let plain = try desk.run("paste", "--json", "-n", "-q")
        #expect(plain.text == "1" && plain.errorText == first + "null}\n")
        #expect(try desk.run("paste", "--json", "-q", "-o", "out").text == first + #""out"}"# + "\n")
        try desk.succeed("mkdir in")
        let lines = try desk.run("paste", "--json", "--into", "in").text.split(separator: "\n").map(String.init)
        #expect(lines[0] == first + #""in/a b.txt"}"#)
        #expect(
            lines[1].contains(#""item":2,"type":"public.png","bytes":300000,"name":"big.png","path":"in/big.png"}"#)
        )
    }

    @Test("An offer reports its process and its change count", arguments: [false, true])
    func offer(isInBackground: Bool) throws {
        let desk = try Desk()
        let line: String
        var offer: ProcessRunner?
        if isInBackground {
            line = try desk.run("offer", "--json", "--background", "-t", "text=date").text
        } else {
            offer = try desk.start("offer", "--json", "-t", "text=date", "--timeout", "1m")
            line = try offer?.nextLine() ?? ""
        }
        let pattern =
            #/\{"board":"general","changeCount":([0-9]+),"epoch":"[0-9]+","cleared":\[\],"process":([0-9]+)\}\n?/#
        let match = try #require(line.wholeMatch(of: pattern), "\(line)")
        #expect(try desk.run("list", "--json").text.contains(#""owner":{"process":\#(match.2),"#))
        #expect(try desk.run("clear", "--if-change", String(match.1)).exitCode == 0)
        #expect(try offer?.finish().exitCode ?? 0 == 0)
    }

    @Test("A drag and a drop report their items")
    func drag() throws {
        let desk = try Desk()
        try desk.directory.write("a", to: "a.txt")
        try desk.directory.write("b", to: "b.txt")
        let drop = try desk.destination(["--json", "--once", "--accept", "text"])
        let drag = try desk.run("drag", "--json", "--label", "me", "--move", "a.txt", "b.txt", "--to", "inbox")
        let result =
            #"{"destination":"inbox","operation":"move","items":2,"transferred":[1,2],"deleted":["a.txt","b.txt"]}"#
        #expect(drag.text == result + "\n")
        let lines = try drop.finish().text.split(separator: "\n").map(String.init).sorted()
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#/^\{"source":\{"process":\d+,"label":"me"\},/#) })
        #expect(
            lines.contains { $0.hasSuffix(#""bytes":1,"name":"a.txt","path":"in/a.txt"}"#) }
                && lines.allSatisfy { $0.contains(#""operation":"move","item":"#) },
            "\(lines)"
        )
    }

    @Test("Every command that asks a broker which does not answer ends at its timeout", .tags(.f73))
    func stoppedBroker() throws {
        let desk = try Desk()
        try desk.copy("text")
        let status = try desk.run("status", "--json").text
        let process = try #require(status.firstMatch(of: /"process":([0-9]+)/)?.1)
        let broker = try #require(pid_t(process))
        #expect(kill(broker, SIGSTOP) == 0)
        defer { kill(broker, SIGCONT) }
        for command in [
            "copy -e x", "list", "types", "info", "status", "limits", "clear -b other", "board release other", "stop",
            "watch", "offer -t text=date", "drag /etc/passwd --to x", "drop --as x", "paste --json",
        ] {
            let ended = try desk.shell("pasteboard \(command) --timeout 100ms")
            #expect(ended.exitCode == 7 && ended.text.isEmpty, "\(command): \(ended.errorText)")
        }
    }

    @Test("A timeout ends a wait for input, for a drop and for changes")
    func waits() throws {
        let desk = try Desk()
        for producer in ["exec sleep 600", "echo x; exec sleep 600"] {
            let ended = try desk.shell(
                """
                rm -f pipe; mkfifo pipe; (\(producer)) > pipe & pasteboard copy -t text --timeout 100ms < pipe
                code=$?; kill $!; exit $code
                """
            )
            // If the broker has not answered yet, the error says that instead.
            #expect(ended.exitCode == 7 && ended.errorText.hasPrefix("pasteboard: copy: "))
        }
        // Without a writer, opening a pipe waits.
        let named = "rm -f pipe; mkfifo pipe; pasteboard copy --timeout 100ms pipe"
        let ended = try desk.shell(named)
        #expect(ended.exitCode == 7 && ended.errorText == "pasteboard: copy: the time allowed is over\n")
        let written = "(sleep 0.1; head -c 300000 /dev/zero) > pipe & pasteboard copy --timeout 1h pipe"
        #expect(try desk.succeed("\(written); pasteboard paste | wc -c") == "300000\n")
        try desk.copy("kept")
        for command in ["drop --as x --once", "watch"] {
            let ended = try desk.shell("pasteboard \(command) --timeout 100ms")
            #expect(ended.exitCode == 7 && !ended.errorText.contains("connecting again"), "\(ended.errorText)")
        }
        #expect(try desk.run("drag", ".input", "--to", "x", "--wait", "1h", "--timeout", "100ms").exitCode == 7)
        #expect(try desk.run("copy", "-e", "x", "--timeout", "1h").exitCode == 0)
        #expect(try desk.run("list", "--timeout", "0").exitCode == 2)
    }

    @Test("A timeout ends a wait for the reader of the output, also of a pipe that nobody has opened")
    func output() throws {
        let desk = try Desk()
        try desk.directory.write(Desk.bytes(1_000_000), to: "large")
        try desk.run("copy", "large")
        let pipe = try System.pipe()
        let paste = try desk.start("paste", "--timeout", "100ms", standardOutput: pipe.second.raw)
        #expect(try paste.finish().exitCode == 7)
        // Nobody reads the errors, either.
        let writer = "{ pasteboard paste --timeout 100ms 2>&1; echo $? > status; }"
        let reader = "{ until [ -s status ]; do sleep 0.02; done; cat > /dev/null; }"
        #expect(try desk.shell("\(writer) | \(reader); cat status").text == "7\n")
        let named = try desk.shell("rm -f pipe; mkfifo pipe; pasteboard paste -o pipe --timeout 100ms")
        #expect(named.exitCode == 7, "\(named.errorText)")
    }
}
