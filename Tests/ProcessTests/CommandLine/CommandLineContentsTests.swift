import PasteboardTransport
import TestSupport
import Testing

/// Flags, lifetime and conditions of contents on the command line.
@Suite(.processes) struct CommandLineContentsTests {
    @Test("A copy under a condition is made only at that change count, and prints the new one")
    func condition() throws {
        let desk = try Desk()
        let first = try desk.run("copy", "--json", input: Array("one".utf8))
        let count = try #require(Self.changeCount(first.text))
        try desk.copy("two", "--if-change", "\(count)")
        let refused = try desk.run("copy", "--if-change", "\(count)", input: Array("three".utf8))
        #expect(refused.exitCode == 6)
        #expect(
            refused.errorText
                == "pasteboard: copy: pasteboard general is at change count \(count + 1), not \(count); it was changed in the meantime\n"
        )
        #expect(try desk.run("paste").text == "two")
        #expect(try desk.run("paste", "--if-change", "\(count + 1)").text == "two")
        #expect(try desk.run("paste", "--if-change", "\(count)").exitCode == 6)
        let offer = try desk.run("offer", "--background", "--if-change", "\(count)", "-t", "text=date")
        #expect(offer.exitCode == 6 && offer.errorText.hasPrefix("pasteboard: offer: pasteboard general is at change "))
        #expect(try desk.run("paste", "-o", "file", "--if-change", "\(count)").exitCode == 6)
        #expect(!desk.directory.names().contains("file"))
        #expect(try desk.run("clear", "--if-change", "\(count)").exitCode == 6)
        let cleared = try desk.run("clear", "--json", "--if-change", "\(count + 1)")
        #expect(Self.changeCount(cleared.text) == count + 2)
    }

    @Test("Contents that may be pasted once are gone after it, and their offer ends")
    func once() throws {
        let desk = try Desk()
        try desk.copy("secret", "--once")
        #expect(try desk.run("info").text.contains("can be pasted once"))
        #expect(try desk.run("paste").text == "secret")
        let second = try desk.run("paste")
        #expect(second.exitCode == 1)
        #expect(second.errorText == "pasteboard: paste: pasteboard general is empty\n")
        let offer = try desk.offer(["--once", "-t", "text=echo x"])
        #expect(try desk.run("paste").text == "x\n")
        let end = try offer.finish()
        #expect(end.exitCode == 0)
        #expect(end.errorText.contains("pasteboard: offer: the offer was pasted for the last time\n"))
    }

    @Test("Contents that may be pasted a number of times are gone after it")
    func loads() throws {
        let desk = try Desk()
        try desk.copy("ticket", "--loads", "2")
        #expect(try desk.run("paste").text == "ticket")
        #expect(try desk.run("paste").text == "ticket")
        #expect(try desk.run("paste").exitCode == 1)
        for arguments in [["--loads", "0"], ["--loads", "many"], ["--loads", "2", "--once"]] {
            let refused = try desk.shell("echo x | pasteboard copy \(arguments.joined(separator: " "))")
            #expect(refused.exitCode == 2 && refused.errorText.contains("--loads"))
        }
    }

    @Test("A paste whose destination cannot be written to does not use up contents that may be pasted once")
    func unwritable() throws {
        let desk = try Desk()
        try desk.copy("words", "--once")
        _ = try desk.directory.makeDirectory("d")
        for path in ["missing/x", "d", "missing/"] {
            #expect(try desk.run("paste", "-o", path).exitCode == 4)
        }
        #expect(try desk.run("paste", "-o", "file").exitCode == 0)
        #expect(try desk.directory.contents(of: "file") == Array("words".utf8))
        #expect(try desk.run("paste").exitCode == 1)
    }

    @Test("Contents with a time to live are cleared when it is over, and the offer says so")
    func expiry() throws {
        let desk = try Desk()
        let offer = try desk.offer(["--ttl", "200ms", "-t", "text=echo x"])
        let end = try offer.finish()
        #expect(end.exitCode == 0)
        #expect(end.errorText.contains("pasteboard: offer: the offer has expired\n"))
        #expect(try desk.run("paste").exitCode == 1)
        let usage = try desk.run("copy", "--ttl", "infinity", input: [])
        #expect(usage.exitCode == 2)
        #expect(usage.errorText.hasPrefix("pasteboard: copy: --ttl infinity is no time"))
    }

    @Test("A secret is pasted like other contents, and its size is shown nowhere", arguments: [12_347, 312_347])
    func sensitive(size: Int) throws {
        let desk = try Desk()
        let bytes = Array(repeating: UInt8(ascii: "s"), count: size)
        try desk.directory.write(bytes, to: "secret.txt")
        #expect(try desk.run("copy", "--sensitive", "secret.txt").exitCode == 0)
        let info = try desk.run("info")
        #expect(info.text.contains(#/sensitive, expires in (1 min( \d+ s)?|\d+ s)\n/#))
        let json = try desk.run("info", "--json").text
        #expect(json.contains(#""flags":["sensitive"]"#) && json.contains(#""size":null"#))
        for command in ["info", "types", "list"] {
            #expect(try !desk.run(command).text.contains("\(size)"), "\(command)")
        }
        #expect(try desk.run("paste").output == bytes)
        #expect(try desk.run("paste", "-o", "copy.txt").exitCode == 0)
        #expect(try desk.directory.contents(of: "copy.txt") == bytes)
    }

    @Test("An added item follows those that are kept already, and promised contents are not added to")
    func adding() throws {
        let desk = try Desk()
        let large = Desk.bytes(200_000)
        try desk.directory.write(large, to: "large.png")
        #expect(try desk.run("copy", "--add", "large.png").exitCode == 0, "to an empty pasteboard")
        try desk.copy("two", "--add", "--name", "second")
        #expect(try desk.run("paste", "--item", "1").output == large)
        #expect(try desk.run("paste", "--item", "2").text == "two")
        let types = try desk.run("types").text
        #expect(types.contains("large.png") && types.contains("second"))
        let offer = try desk.offer(["-t", "text=echo x"])
        let refused = try desk.run("copy", "--add", input: Array("three".utf8))
        #expect(refused.exitCode == 6)
        #expect(
            refused.errorText.hasPrefix(
                "pasteboard: copy: cannot add to the contents of pasteboard general: pasteboard ("
            )
        )
        #expect(try desk.run("paste").text == "x\n")
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("Items that programs add at the same time are all kept")
    func addingTogether() throws {
        let desk = try Desk()
        let script = "for n in $(seq 24); do echo $n | pasteboard copy --add & all=\"$all $!\"; done; "
        let added = try desk.shell(script + "for one in $all; do wait $one || exit; done")
        #expect(added.exitCode == 0, "\(added.errorText)")
        let items = try (1...24).compactMap { Int(try desk.run("paste", "-n", "--item", "\($0)").text) }
        #expect(items.sorted() == Array(1...24))
    }

    @Test("Contents of ended programs that make room are named to the writer and to those who look for them")
    func makingRoom() throws {
        let desk = try Desk(limits: "boards = 2\n")
        for board in ["notes", "other"] { try desk.copy(board, "--board", board) }
        let refused = try desk.run("copy", "--no-evict", "--board", "third", input: Array("3".utf8))
        #expect(refused.exitCode == 6)
        #expect(refused.errorText.contains("copy: there is no room unless contents of ended programs are cleared"))
        #expect(try desk.run("paste", "--board", "notes").text == "notes")
        let copied = try desk.run("copy", "--json", "--board", "third", input: Array("3".utf8))
        #expect(copied.exitCode == 0 && copied.text.contains(#""cleared":["notes"]"#))
        #expect(
            copied.errorText
                == "pasteboard: copy: cleared notes to make room, because the programs that wrote them have ended; "
                + "--no-evict prevents it\n"
        )
        for command in ["paste", "info", "types"] {
            let empty = try desk.run(command, "--board", "notes")
            #expect(
                empty.exitCode == 1 && empty.errorText.contains("notes is empty: it was cleared ")
            )
        }
        let offer = try desk.offer(["-t", "text=echo x"], board: "fourth")
        try offer.waitForErrors(containing: "offer: cleared other to make room")
        try desk.run("clear", "--board", "fourth")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("A stop keeps what is kept, and ends only an empty broker on request")
    func stopping() throws {
        let desk = try Desk()
        try desk.copy("x")
        try desk.copy("y", "--board", "notes")
        let refused = try desk.run("stop", "--if-empty")
        #expect(refused.exitCode == 6 && refused.errorText.contains("because there are pasteboards: general, notes"))
        #expect(try desk.run("paste").text == "x")
        let stopped = try desk.run("stop")
        #expect(stopped.exitCode == 0 && stopped.errorText.isEmpty)
        #expect(try desk.run("paste", "--board", "notes").text == "y")
        for board in ["general", "notes"] { try desk.run("clear", "--board", board) }
        let empty = try desk.run("stop", "--if-empty")
        #expect(empty.exitCode == 0 && empty.errorText.isEmpty)
    }

    @Test("Contents that are added to stay secret, and contents that may be pasted once are not added to")
    func addingToSecrets() throws {
        let desk = try Desk()
        try desk.copy("one", "--sensitive", "--ttl", "1h")
        try desk.copy("two", "--add", "--transient", "--ttl", "2h")
        let info = try desk.run("info").text
        #expect(info.contains(#/sensitive, transient, expires in (1 h|59 min)/#))
        let large = Desk.bytes(200_000)
        try desk.directory.write(large, to: "large.png")
        #expect(try desk.run("copy", "--add", "large.png").exitCode == 0)
        #expect(try desk.run("paste", "--item", "3").output == large)
        #expect(try desk.run("list").text.contains(" sensitive, "))
        try desk.copy("once", "--once")
        let refused = try desk.run("copy", "--add", input: Array("more".utf8))
        #expect(refused.exitCode == 6)
        #expect(refused.errorText.contains("a limited number of times; a copy replaces them"))
        #expect(try desk.run("paste").text == "once")
    }

    @Test("A released pasteboard is not listed any more, and a standard one is not released")
    func release() throws {
        let desk = try Desk()
        try desk.copy("x", "--board", "mine")
        #expect(try desk.run("list").text.hasPrefix("mine"))
        #expect(try desk.run("board", "release", "mine").exitCode == 0)
        #expect(try desk.run("list").text.isEmpty)
        #expect(try desk.run("board", "release", "mine").exitCode == 0)
        let refused = try desk.run("board", "release", "general")
        #expect(refused.exitCode == 6)
        #expect(refused.errorText.hasPrefix("pasteboard: board: pasteboard general "))
        #expect(try desk.run("board", "remove", "x").exitCode == 2)
        #expect(try desk.run("board", "release", "a/b").exitCode == 2)
    }

    @Test("The info shows the owner, the age and the types, and ends with 1 for an empty pasteboard")
    func info() throws {
        let desk = try Desk()
        #expect(try desk.run("info").exitCode == 1)
        try desk.copy("x", "--transient", "--local")
        let info = try desk.run("info").text
        #expect(info.contains("transient, local\n"))
        #expect(info.contains("owner         pasteboard ("))
        #expect(info.contains("public.utf8-plain-text"))
        let json = try desk.run("info", "--json").text
        #expect(json.contains(#""flags":["transient","local"]"#))
        let offer = try desk.offer(["-t", "text=echo x"])
        let owner = "pasteboard (\(offer.child.id))"
        for command in ["info", "list"] { #expect(try desk.run(command).text.contains(owner)) }
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
        #expect(try desk.run("info", "--json").exitCode == 1)
    }

    /// The number after `"changeCount":`.
    static func changeCount(_ json: String) -> UInt64? {
        json.firstRange(of: "\"changeCount\":").flatMap { UInt64(json[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
