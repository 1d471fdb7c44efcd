import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import pasteboard

/// Words as contents, labels and titles.
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
}
