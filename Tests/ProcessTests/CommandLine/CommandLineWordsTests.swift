import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import pasteboard

/// Words as contents, labels and titles, the text in a list, and copies of other pasteboards.
@Suite(.processes) struct CommandLineWordsTests {
    @Test("Words are copied as a text, and take the place of standard input")
    func words() throws {
        let desk = try Desk()
        try desk.directory.write("a file", to: "hello")
        try desk.run("copy", "-e", "hello", "two  words")
        #expect(try desk.run("paste").text == "hello two  words")
        #expect(try desk.run("types").text == "public.utf8-plain-text  16  kept\n")
        try desk.succeed("pasteboard copy --echo -n -t html=hello -t text -- -x '\n'")
        #expect(try desk.run("paste").text == "-x ")
        #expect(try desk.run("paste", "-t", "html").text == "a file")
        try desk.run("copy", "-e", "", "--name", "empty.txt")
        #expect(try desk.run("types").text == "public.plain-text  0  kept  empty.txt\n")
        try desk.succeed("pasteboard copy -e \"$(head -c 100000 /dev/zero | tr '\\0' x)\" y")
        #expect(try desk.run("paste").output.count == 100_002)
        for arguments in ["copy -e", "copy -e -t html=hello word", "drag -e x --to y"] {
            #expect(try desk.shell("pasteboard \(arguments)").exitCode == 2)
        }
    }

    @Test("A label is shown by lists and errors, and a title by info")
    func labels() throws {
        let desk = try Desk()
        try desk.copy("x", "--label", "job 42", "--title", "A \"title\"")
        #expect(try desk.run("list").text.contains("  job 42 ("))
        #expect(try desk.run("info").text.contains(#/title +A "title"\n/#))
        #expect(try desk.run("info", "--json").text.contains(#""title":"A \"title\""}"#))
        let offer = "pasteboard offer --background --title T -t text=date"
        try desk.succeed(
            "PASTEBOARD_LABEL=nightly \(offer) >pid && pasteboard status | grep -q '  nightly ' && kill $(cat pid)"
        )
        desk.environment["PASTEBOARD_LABEL"] = String(repeating: "x", count: 300)
        try desk.copy("x")
        #expect(try desk.run("list").text.contains("  pasteboard ("))
        try desk.directory.write("x", to: "a")
        let long = "--title \(String(repeating: "t", count: 1025))"
        for arguments in ["--label ''", "--title a --title b", "--title t a a", long] {
            #expect(try desk.shell("pasteboard copy \(arguments)").exitCode == 2, "\(arguments)")
        }
    }

    @Test("A list on a terminal shows the beginning of kept texts, and nothing that a look must not reveal or use up")
    func previews() throws {
        let desk = try Desk()
        try desk.copy("two\nlines\u{1B}[2J and \(String(repeating: "x", count: 600))", "-b", "text")
        try desk.copy("short", "-b", "brief", "-t", "html")
        try desk.copy("my secret", "-b", "secret", "--sensitive")
        try desk.copy("my secret", "-b", "once", "--once")
        let offer = try desk.offer(["-t", "text=touch made; echo my secret"], board: "promise")
        let terminal = try PseudoTerminal()
        #expect(try desk.run("list", standardOutput: terminal.other).exitCode == 0)
        let shown = try terminal.shown()
        #expect(shown.contains("  two lines^[[2J and \(String(repeating: "x", count: 22))…"), "\(shown)")
        #expect(shown.contains("  short"), "\(shown)")
        #expect(!shown.contains("my secret") && !desk.directory.names().contains("made"))
        #expect(try !desk.run("list").text.contains("two lines"))
        #expect(try desk.run("paste", "-b", "once").text == "my secret")
        try offer.child.kill(SIGTERM)
        _ = try offer.finish()
        #expect(TextPreview.line(Array(String(repeating: "é ", count: 20).utf8)).count == 39)
        #expect(TextPreview.line([0x61, 0xFF]) == "a\u{FFFD}")
    }

    @Test("All items of another pasteboard are copied, with types, names and flags")
    func from() throws {
        let desk = try Desk()
        let large = Desk.bytes(3_000_001)
        try desk.directory.write(large, to: "large.png")
        try desk.directory.write("note", to: "note.txt")
        try desk.succeed("mkdir tree; echo x > tree/x; pasteboard copy --transient --title T large.png")
        try desk.run("copy", "--add", "note.txt", "tree")
        let items = #/"terms":.*"items":.*/#
        let before = try desk.run("info", "--json").text.firstMatch(of: items)?.0
        #expect(before?.contains(#""title":"T""#) == true)
        #expect(try desk.run("copy", "--from", "general", "-b", "saved").exitCode == 0)
        #expect(try desk.run("info", "-b", "saved", "--json").text.firstMatch(of: items)?.0 == before)
        #expect(try desk.run("paste", "-b", "saved").output == large)
        let offer = try desk.offer(["tree", "large.png"])
        #expect(try desk.run("copy", "--from", "general", "-b", "saved", "--add").exitCode == 0)
        try offer.child.kill(SIGTERM)
        _ = try offer.finish()
        #expect(try desk.run("types", "-b", "saved").text.matches(of: /kept/).count == 5)
        try desk.succeed("mkdir in; pasteboard paste -b saved --item 4 --into in; cmp tree/x in/tree/x")
        try desk.copy("s", "--once")
        let wrong = ["general x", "general -e x", "general --name x", "general -t png", "a/b"].map { ($0, CInt(2)) }
        for (arguments, code) in [("general", CInt(6)), ("empty", 1)] + wrong {
            let refused = try desk.shell("pasteboard copy --from \(arguments) -b saved")
            #expect(refused.exitCode == code, "\(refused.errorText)")
            #expect(refused.errorText.hasPrefix("pasteboard: copy: "))
        }
        try desk.copy("s", "--sensitive", "--ttl", "1h")
        #expect(try desk.run("copy", "--from", "general", "-b", "saved").exitCode == 0)
        #expect(try desk.run("info", "-b", "saved").text.contains(#/contents +sensitive, expires in /#))
    }

    @Test("With --force files and directories are replaced, but no item by another one of the same name")
    func force() throws {
        let desk = try Desk()
        try desk.succeed(
            """
            mkdir -p in a b in/tree/old in/list tree; echo 1 > a/x; echo 2 > b/x; echo old > in/x; echo t > tree/t
            ln -s "$PWD/a/x" in/link; echo new > link; chmod 600 a/x
            pasteboard copy a/x b/x tree link; pasteboard paste --force --into in > out
            """
        )
        #expect(try desk.directory.contents(of: "out") == Array("in/x\nin/x 2\nin/tree\nin/link\n".utf8))
        let contents = try desk.succeed("cat in/x 'in/x 2' in/tree/t in/link a/x; stat -c %a in/x")
        #expect(contents == "1\n2\nt\nnew\n1\n600\n")
        #expect(desk.directory.names(in: "in") == ["link", "list", "tree", "x", "x 2"])
        #expect(desk.directory.names(in: "in/tree") == ["t"])
        let file = try desk.shell("echo file > list; pasteboard copy list; pasteboard paste --force --into in")
        #expect(file.exitCode == 4 && file.errorText.contains("cannot replace in/list, because it is a directory"))
        #expect(try desk.run("paste", "--force").exitCode == 2)
    }

    @Test("One watch reports the changes of several pasteboards")
    func severalBoards() throws {
        let desk = try Desk()
        let watch = try desk.start("watch", "-b", "a", "-b", "b", "-b", "a", "--since", "0")
        #expect(try Set([watch.nextLine(), watch.nextLine()].map { $0.suffix(8) }) == ["  a  nil", "  b  nil"])
        try desk.copy("x", "-b", "b")
        #expect(try watch.nextLine().contains("  b  data  1 item  "))
        try desk.copy("x")
        try desk.copy("x", "-b", "a")
        #expect(try watch.nextLine().contains("  a  data  1 item  "))
        try watch.child.kill(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
        let echo = ["sh", "-c", #"echo "$PASTEBOARD_BOARD.$PASTEBOARD_MISSED.$PASTEBOARD_FLAGS""#]
        let commands = try desk.watch(["-b", "a", "-b", "b", "--since", "0", "--"] + echo)
        #expect(try Set([commands.nextLine(), commands.nextLine()]) == ["a..", "b.."])
        try desk.copy("x", "-b", "b", "--transient")
        #expect(try commands.nextLine() == "b.0.transient")
        try commands.child.kill(SIGTERM)
        #expect(try commands.finish().exitCode == 143)
        for arguments in ["-b '*'", "-b a -b b --since 7", "-b a -b a/b"] {
            #expect(try desk.shell("pasteboard watch \(arguments)").exitCode == 2)
        }
    }
}
