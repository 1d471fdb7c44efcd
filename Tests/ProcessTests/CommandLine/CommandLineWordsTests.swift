import Glibc
import PasteboardTransport
import TestSupport
import Testing

@testable import pasteboard

/// Words as contents, and titles.
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

    @Test("A title is shown by info")
    func titles() throws {
        let desk = try Desk()
        try desk.copy("x", "--title", "A \"title\"")
        #expect(try desk.run("info").text.contains(#/title +A "title"\n/#))
        #expect(try desk.run("copy", "--title", "t", "a", "b").exitCode == 2)
    }
}
