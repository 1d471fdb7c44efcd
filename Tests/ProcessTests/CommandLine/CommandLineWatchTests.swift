import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard watch` and `paste --wait`.
@Suite(.processes) struct CommandLineWatchTests {
    @Test("Each change is one line, with its state, and nothing is loaded")
    func lines() throws {
        let desk = try Desk()
        let watch = try desk.start("watch", "--since", "0")
        #expect(try watch.nextLine().hasSuffix("  general  nil"))
        let offer = try desk.offer(["-t", "text=touch loaded; echo x"])
        #expect(try watch.nextLine().contains("  general  data  1 item  pasteboard ("))
        try desk.copy("secret", "--sensitive")
        #expect(try watch.nextLine().contains("  general  sensitive  1 item  "))
        #expect(try offer.finish().exitCode == 0)
        try desk.run("clear")
        #expect(try watch.nextLine().hasSuffix("  general  clear"))
        #expect(!desk.directory.names().contains("loaded"))
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("Changes are JSON, one in each line")
    func json() throws {
        let desk = try Desk()
        let watch = try desk.start("watch", "--json", "--since", "0")
        #expect(try watch.nextLine().contains(#""state":"nil","items":0,"types":[]"#))
        try desk.copy("x", "--once")
        let line = try watch.nextLine()
        #expect(line.contains(#""state":"data","items":1,"types":["public.utf8-plain-text"]"#))
        #expect(line.contains(#""loadsLeft":1"#) && line.hasSuffix("}"))
        #expect(line.contains(#""clearer":{"process":null,"label":null}"#))
        try desk.run("clear")
        #expect(try watch.nextLine().contains(#/"clearer":{"process":\d+,"label":"pasteboard"}/#))
        try watch.child.kill(SIGINT)
        #expect(try watch.finish().exitCode == 130)
    }

    @Test(
        "The command runs for each change with its description in the environment, and for the newest after a slow run",
        .tags(.f94)
    )
    func command() throws {
        let desk = try Desk()
        try desk.copy("first")
        let script =
            #"echo "$PASTEBOARD_BOARD $PASTEBOARD_STATE $CLIPBOARD_STATE $PASTEBOARD_TYPES $(pasteboard paste)"; "#
            + "touch ran; while [ ! -e go ]; do sleep 0.01; done"
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", script])
        #expect(try watch.nextLine() == "general data data public.utf8-plain-text first")
        for text in ["second", "third", "fourth"] { try desk.copy(text) }
        try desk.directory.write("", to: "go")
        #expect(try watch.nextLine() == "general data data public.utf8-plain-text fourth")
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("The command gets the flags, the program and the number of changes that were left out")
    func details() throws {
        let desk = try Desk()
        try desk.copy("first")
        let script =
            #"echo "$PASTEBOARD_STATE,$CLIPBOARD_STATE,$PASTEBOARD_FLAGS,$PASTEBOARD_MISSED,$PASTEBOARD_OWNER"; "#
            + "while [ ! -e go ]; do sleep 0.01; done"
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", script])
        #expect(try watch.nextLine().contains(#/^data,data,,,pasteboard \(\d+\)$/#))
        for text in ["second", "third"] { try desk.copy(text) }
        try desk.copy("fourth", "--transient")
        try desk.directory.write("", to: "go")
        // A change may arrive only after the first run.
        var line = ""
        var changes = 0
        while !line.hasPrefix("transient") {
            line = try watch.nextLine()
            changes += 1 + (Int(line.split(separator: ",", omittingEmptySubsequences: false)[3]) ?? 0)
        }
        #expect(changes == 3 && line.contains(#/^transient,sensitive,transient,\d,pasteboard \(\d+\)$/#), "\(line)")
        try desk.copy("fifth", "--transient", "--sensitive")
        #expect(try watch.nextLine().contains(#/^sensitive,sensitive,sensitive transient,0,pasteboard \(\d+\)$/#))
        try desk.run("clear")
        #expect(try watch.nextLine().contains(#/^clear,clear,,0,pasteboard \(\d+\)$/#))
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

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

    @Test(
        "A command that changes the pasteboard again and again for which it is run is ended, with a message",
        .tags(.f94),
        arguments: [
            ("echo x | pasteboard copy", 8), ("echo x | pasteboard copy; sleep 0.02", 8), ("pasteboard clear", 8),
            ("pasteboard clear; sleep 0.02", 8), ("env -u PASTEBOARD_WATCH pasteboard clear", 40),
            ("pasteboard offer --background -t text=date >/dev/null 2>&1", 8),
        ],
        [true, false]
    )
    func loop(_ script: (text: String, count: Int), _ beginsAtOnce: Bool) throws {
        let desk = try Desk()
        try desk.copy("first")
        let since = beginsAtOnce ? ["--since", "0"] : []
        let watch = try desk.watch(since + ["--", "sh", "-c", "echo run; \(script.text)"])
        if !beginsAtOnce {
            try desk.waitForWatch()
            try desk.copy("second")
        }
        let end = try watch.finish()
        #expect(end.exitCode == 6)
        // Under load a change may come too late to be recognized as the command's own.
        #expect(end.text.split(separator: "\n").count >= script.count)
        #expect(
            end.errorText.hasPrefix("pasteboard: watch: the command seems to change pasteboard general in each run")
        )
    }

    @Test("A command that changes the pasteboard runs again for its result, and the watch goes on", .tags(.f94))
    func ownResult() throws {
        let desk = try Desk()
        try desk.copy("first")
        let clean =
            "text=$(pasteboard paste); echo $text; case $text in *\\?*) echo ${text%%\\?*} | pasteboard copy;; esac"
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", clean])
        #expect(try watch.nextLine() == "first")
        // More of its own changes in all than would be a loop in a row.
        for number in 1...9 {
            try desk.copy("\(number)?utm")
            #expect(try watch.nextLine() == "\(number)?utm")
            #expect(try watch.nextLine() == "\(number)")
        }
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("Changes of other programs during each run do not end the watch", .tags(.f94))
    func othersChange() throws {
        let desk = try Desk()
        try desk.copy("first")
        let script = "echo $PASTEBOARD_CHANGE_COUNT; while [ ! -e go$PASTEBOARD_CHANGE_COUNT ]; do sleep 0.01; done"
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", script])
        for _ in 0..<8 {
            let count = try watch.nextLine()
            try desk.copy("more")
            if count.hasSuffix("5") { try desk.run("clear") }
            try desk.directory.write("", to: "go\(count)")
        }
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("The command of a watch pastes neither secrets nor contents that may be pasted once", .tags(.f95))
    func automatic() throws {
        let desk = try Desk()
        try desk.copy("plain")
        let script = "text=$(pasteboard paste 2>/dev/null); echo \"$text $?\""
        let watch = try desk.watch(["--since", "0", "--", "sh", "-c", script])
        #expect(try watch.nextLine() == "plain 0")
        try desk.copy("secret", "--sensitive")
        #expect(try watch.nextLine() == " 6")
        try desk.copy("ticket", "--once")
        #expect(try watch.nextLine() == " 6")
        #expect(try desk.run("paste").text == "ticket")
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("A command that cannot be run, and a broker that is stopped, end the watch with an error")
    func ends() throws {
        let desk = try Desk()
        let missing = try desk.run("watch", "--", "no-such-program")
        #expect(missing.exitCode == 127)
        #expect(missing.errorText == "pasteboard: watch: cannot run no-such-program: it is not in PATH\n")
        #expect(try desk.run("watch", "--json", "--", "true").exitCode == 2)
        let watch = try desk.start("watch", "--since", "0")
        _ = try watch.nextLine()
        try desk.run("stop")
        #expect(try watch.finish().exitCode == 3)
    }

    @Test("A watch connects again if its broker is killed, and reports the changes after the last one")
    func killedBroker() throws {
        let desk = try Desk()
        let watch = try desk.start("watch", "--since", "0")
        _ = try watch.nextLine()
        try desk.copy("first")
        #expect(try watch.nextLine().contains("  general  data  "))
        try desk.killBroker()
        try watch.waitForErrors(containing: "pasteboard: watch: the broker ended; connecting again\n")
        try desk.copy("secret", "--sensitive")
        // The loss of the first contents may be a change of its own.
        while try !watch.nextLine().contains("  general  sensitive  ") {}
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("A watch that has reported nothing reports what was written before it was at the next broker")
    func missed() throws {
        let desk = try Desk()
        try desk.copy("first")
        let watch = try desk.start("watch")
        try desk.waitForWatch()
        try watch.child.kill(SIGSTOP)
        try desk.killBroker()
        try desk.copy("secret", "--sensitive")
        try watch.child.kill(SIGCONT)
        #expect(try watch.nextLine().contains("  general  sensitive  "))
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("A watch of all pasteboards reports new ones, also those that were written before it was at the next broker")
    func all() throws {
        let desk = try Desk()
        try desk.copy("known", "-b", "old")
        let watch = try desk.start("watch", "--all")
        try desk.waitForWatch()
        try desk.copy("x", "-b", "new")
        #expect(try watch.nextLine().contains("  new  data  1 item  "))
        try watch.child.kill(SIGSTOP)
        try desk.killBroker()
        try desk.copy("y", "-b", "later")
        try watch.child.kill(SIGCONT)
        #expect(try watch.nextLine().contains("  later  data  "))
        try desk.run("clear", "-b", "old")
        #expect(try watch.nextLine().hasSuffix("  old  clear"))
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("The command of a watch of all pasteboards gets the name of each, first of those with contents")
    func allForCommand() throws {
        let desk = try Desk()
        for board in ["a", "b"] { try desk.copy("x", "-b", board) }
        try desk.run("clear", "-b", "a")
        let command = #"echo "$PASTEBOARD_BOARD $PASTEBOARD_STATE $PASTEBOARD_MISSED""#
        let watch = try desk.start("watch", "--all", "--since", "0", "--", "sh", "-c", command)
        #expect(try watch.nextLine() == "b data ")
        try desk.copy("x", "-b", "c")
        #expect(try watch.nextLine() == "c data 0")
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
        #expect(try desk.run("watch", "--all", "-b", "x").exitCode == 2)
        #expect(try desk.run("watch", "--all", "--since", "5").exitCode == 2)
        #expect(try desk.run("watch", "-b", "*").exitCode == 2)
    }

    @Test("A paste that waits gets the first contents of the requested type")
    func waiting() throws {
        let desk = try Desk()
        let paste = try desk.start("paste", "--wait", "-t", "text")
        try desk.directory.write("<svg/>", to: "image.svg")
        try desk.waitForWatch()
        #expect(try desk.run("copy", "-t", ".png", "image.svg").exitCode == 0)
        try desk.copy("text")
        #expect(try paste.finish().text == "text")
        #expect(try desk.run("paste", "--wait").text == "text")
        let offer = try desk.offer(["-t", "text=echo x"])
        try offer.child.kill(SIGKILL)
        _ = try offer.finish()
        let patient = try desk.start("paste", "--wait")
        try desk.waitForWatch()
        try desk.copy("later")
        #expect(try patient.finish().text == "later")
        try desk.run("clear")
        let interrupted = try desk.start("paste", "--wait", "-o", "file")
        try desk.waitForWatch()
        try interrupted.child.kill(SIGTERM)
        #expect(try interrupted.finish().exitCode == 143)
        var late = try desk.run("paste", "--wait", "--timeout", "1s")
        // On a busy machine, this time may be over before the wait begins.
        for limit in ["10s", "100s"] where !late.errorText.contains("is empty") {
            late = try desk.run("paste", "--wait", "--timeout", limit)
        }
        #expect(late.exitCode == 7)
        #expect(
            late.errorText
                == "pasteboard: paste: pasteboard general is empty, and the time of --timeout is over\n"
        )
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
