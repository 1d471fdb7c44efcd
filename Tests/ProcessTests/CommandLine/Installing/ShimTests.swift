import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// `pasteboard` under the names of other clipboard programs.
@Suite(.processes) struct ShimTests {
    private static let png = [UInt8]("\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })

    private let desk: Desk

    init() throws {
        desk = try Desk()
        let links = try desk.directory.makeDirectory("links")
        let program = try ProcessRunner.program("pasteboard")
        for name in ["pbcopy", "pbpaste", "wl-copy", "wl-paste", "xclip", "xsel"] {
            try #require(symlink(program, "\(links)/\(name)") == 0)
        }
        desk.environment["PATH"] = "\(links):\(desk.environment["PATH"] ?? "")"
        try desk.directory.write(Self.png, to: "a.png")
    }

    /// The output of a script, with its standard error.
    private func output(_ script: String) throws -> String {
        try desk.shell("exec 2>&1; \(script)").text
    }

    @Test("pbcopy and pbpaste copy text, and an empty pasteboard is no error")
    func pbcopy() throws {
        #expect(try output("pbpaste; echo $?") == "0\n")
        #expect(try output("printf 'a\\n\\n' | pbcopy; pbpaste; pasteboard paste") == "a\n\na\n\n")
        #expect(try output("echo b | pbcopy -pboard find; pbpaste -pboard find; pbpaste -Prefer rtf") == "b\na\n\n")
        #expect(try output("printf '%s\\n' '{\\rtf1}' | pasteboard copy -t rtf; pbpaste -Prefer rtf") == "{\\rtf1}\n")
        #expect(try output("pasteboard copy a.png; pbpaste; echo $?") == "0\n")
        #expect(try output("pbcopy < a.png; pbpaste | cmp - a.png; echo $?") == "0\n")
    }

    @Test("wl-copy copies words and standard input, and wl-paste adds a newline to text")
    func wlCopy() throws {
        #expect(try output("wl-copy hello 'big  world'; wl-paste; wl-paste -n") == "hello big  world\nhello big  world")
        #expect(try output("wl-copy %PDF-1.4; wl-paste") == "%PDF-1.4\n")
        #expect(try output("echo a | wl-copy; wl-paste") == "a\n\n")
        #expect(try output("echo a | wl-copy -np; wl-paste -p; wl-paste --primary --no-newline") == "a\na")
        #expect(try output("wl-copy < a.png; wl-paste | cmp - a.png; wl-paste -l | head -1") == "image/png\n")
        #expect(try output("echo k > k.pem; wl-copy < k.pem; wl-paste > l.pem; cat l.pem") == "k\n")
        let missing = "Clipboard content is not available as requested type \"text/plain\"\n1\n"
        #expect(try output("wl-paste -t text/plain; echo $?") == missing)
        #expect(try output("wl-copy -o secret; wl-paste -n; wl-paste; echo $?") == "secretNothing is copied\n1\n")
        #expect(try output("wl-copy a; wl-copy --clear; wl-paste -l; echo $?") == "Nothing is copied\n1\n")
        #expect(try output("wl-copy --sensitive pw; wl-paste -n; pasteboard info | grep -c sensitive") == "pw1\n")
        let types = "text/html\ntext/plain;charset=utf-8\ntext/plain\nUTF8_STRING\nSTRING\nTEXT\n"
        #expect(try output("wl-copy -t text/html '<b>x'; wl-paste -l; wl-paste -t text") == "\(types)<b>x\n")
    }

    @Test("xclip copies files and standard input to its selections")
    func xclip() throws {
        try desk.directory.write("a\nb\n", to: "f")
        #expect(try output("xclip f - f < f; xclip -o") == "a\nb\na\nb\na\nb\n")
        #expect(try output("xclip -sel clip f; xclip -o -selection clipboard; pasteboard paste") == "a\nb\na\nb\n")
        #expect(try output("printf c | xclip -sel s; xclip -out -sel s; xclip -o -rmlastnl") == "ca\nb\na\nb\na\nb")
        #expect(try output("xclip -f -rmlastnl -sel c f; xclip -o -sel c") == "a\nba\nb")
        #expect(try output("xclip missing; echo $?") == "xclip: missing: No such file or directory\n1\n")
        #expect(try output("xclip -o; xclip -loops 2 f; xclip -o; xclip -o").hasSuffix("a\nb\na\nb\n"))
        #expect(try output("xclip -o; echo $?") == "Error: target STRING not available\n1\n")
    }

    @Test("xclip lists and requests targets as X spells them")
    func targets() throws {
        let text = "text/plain;charset=utf-8\ntext/plain\nUTF8_STRING\nSTRING\nTEXT\n"
        #expect(try output("printf a | xclip; xclip -o -t TARGETS") == "TARGETS\n\(text)")
        #expect(try output("xclip -o -t UTF8_STRING; xclip -o -t STRING; xclip -o -target text/plain") == "aaa")
        #expect(try output("echo file:///x | xclip -t text/uri-list; xclip -o -t text/uri-list") == "file:///x\n")
        #expect(try output("xclip -o -t TARGETS") == "TARGETS\ntext/uri-list\n\(text)")
        #expect(try output("xclip -t image/png a.png; xclip -o -t TARGETS | head -2") == "TARGETS\nimage/png\n")
        #expect(try output("xclip -o -t image/png | cmp - a.png; xclip -o") == "Error: target STRING not available\n")
        for target in ["image/gif", "MULTIPLE", "UTF8_STRING"] {
            let missing = "Error: target \(target) not available\n1\n"
            #expect(try output("xclip -o -t \(target); echo $?") == missing)
        }
        #expect(try output("pasteboard clear -p; xclip -o -t TARGETS") == "Error: target TARGETS not available\n")
    }

    @Test(
        "Text in any encoding is given as UTF-8 under all names of text, and listed only if it can be",
        arguments: ["utf-16", "iso-8859-1", "macintosh"]
    )
    func encodings(charset: String) throws {
        let type = "text/plain;charset=\(charset)"
        let copy = "printf 'caf\\303\\251' | iconv -f utf-8 -t \(charset) | pasteboard copy -t '\(type)'"
        #expect(try output("\(copy); pbpaste; wl-paste -n; xclip -o -sel c; xsel -bo") == "cafécafécafécafé")
        #expect(try output("for t in text/plain UTF8_STRING text; do xclip -o -sel c -t $t; done") == "cafécafécafé")
        #expect(try output("wl-paste -n -t '\(type)' | iconv -f \(charset) -t utf-8") == "café")
        #expect(try output("wl-paste -l | grep -c UTF8_STRING") == "1\n")
    }

    @Test("Text in an unknown encoding is neither listed as text nor given as text")
    func unknownEncoding() throws {
        let type = "text/plain;charset=klingon"
        #expect(try output("printf a | pasteboard copy -t '\(type)'; wl-paste -l; pasteboard paste") == "\(type)\na")
        #expect(try output("xclip -o -sel c -t UTF8_STRING") == "Error: target UTF8_STRING not available\n")
    }

    @Test("Every name is a type, and the lists have only names of X11 and Wayland")
    func names() throws {
        let names = [
            "text/_moz_htmlinfo", "vscode-editor-data", "_VIM_TEXT", "application/web;type=\"a\"", "HTML Format", "foo",
        ]
        for name in names {
            #expect(
                try output("printf x | xclip -t '\(name)'; xclip -o -t '\(name)'; xclip -o -t TARGETS | sed -n 2p")
                    == "x\(name)\n"
            )
        }
        // A name is no argument that reads a file.
        #expect(try output("echo x | xclip -t \"public.png=$PWD/a.png\"; echo $?").hasSuffix("2\n"))
        let two = "pasteboard copy -q -t text/html=h -t 'text/html;charset=utf-8'=a.png"
        #expect(
            try output("echo h > h; \(two); wl-paste -n -t 'text/html;charset=utf-8'; wl-paste -l | head -1")
                == "h\ntext/html\n"
        )
        _ = try desk.directory.makeDirectory("folder")
        #expect(
            try output("pasteboard copy folder; wl-paste -l | grep -c public; wl-paste -l | head -1")
                == "0\ninode/directory\n"
        )
    }

    @Test("Copied files are also lists, and lists are pasted as files")
    func lists() throws {
        try desk.directory.write("b\n", to: "b c.txt")
        _ = try desk.directory.makeDirectory("in")
        _ = try desk.directory.makeDirectory("tree")
        let path = desk.directory.path
        #expect(
            try output("pasteboard copy a.png 'b c.txt'; wl-paste -n -t text/uri-list")
                == "file://\(path)/a.png\r\nfile://\(path)/b%20c.txt\r\n"
        )
        #expect(
            try output("xclip -o -sel c -t x-special/gnome-copied-files")
                == "copy\nfile://\(path)/a.png\nfile://\(path)/b%20c.txt"
        )
        #expect(try output("wl-paste -l | tail -2") == "x-special/gnome-copied-files\ntext/uri-list\n")
        let copied = "wl-paste -t text/uri-list | xclip -sel c -t text/uri-list"
        #expect(
            try output("\(copied); pasteboard paste --into in; cat 'in/b c.txt'; cmp a.png in/a.png")
                == "in/a.png\nin/b c.txt\nb\n"
        )
        let note =
            "pasteboard: paste: the list says 'cut', but its files are only copied; delete the originals if you do not need them\n"
        let cut = "printf 'cut\\nfile://\(path)/tree' | wl-copy -t x-special/gnome-copied-files"
        #expect(
            try output("\(cut); pasteboard paste --into in; ls -d tree in/tree") == "\(note)in/tree\nin/tree\ntree\n"
        )
        #expect(
            try output("printf 'file://other/x' | wl-copy -t text/uri-list; pasteboard paste --into in; cat in/pasted*")
                .hasSuffix("file://other/x")
        )
        let both = "wl-paste -t text/uri-list > list; pasteboard copy -t text/uri-list=list -t text=list"
        #expect(try output("pasteboard copy a.png; \(both); pasteboard paste --into in") == "in/a 2.png\n")
        #expect(try output("wl-paste -t text/uri-list | tail -c 1 | od -An -c").hasSuffix("\\n\n"))
        let missing = "pasteboard: paste: cannot read /none: No such file or directory\n4\n"
        #expect(
            try output("printf 'file:///none' | wl-copy -t text/uri-list; pasteboard paste --into in; echo $?")
                == missing
        )
        #expect(
            try output(
                "mkfifo p; printf 'file://\(path)/p' | wl-copy -t text/uri-list; pasteboard paste --into in; echo $?"
            ).hasSuffix("4\n")
        )
    }

    @Test(
        "Contents that are written elsewhere are no list of files here",
        .enabled(if: System.userID == 0, "needs root")
    )
    func otherNamespace() throws {
        let path = desk.directory.path
        #expect(try output("unshare -m pasteboard copy a.png; wl-paste -l | grep -c uri") == "0\n")
        let copy = "printf 'file://\(path)/a.png' | unshare -m pasteboard copy -t text/uri-list"
        #expect(try output("mkdir in; \(copy); pasteboard paste --into in; cat in/*").hasSuffix("file://\(path)/a.png"))
    }

    @Test("wl-paste takes the type from the name of its output file")
    func inferred() throws {
        #expect(
            try output("echo t > t; pasteboard copy -t text=t -t png=a.png; wl-paste > b.png; cmp a.png b.png") == ""
        )
        #expect(
            try output("wl-paste > b.txt; wl-paste > b.unknown; wl-paste > b.html; cat b.txt b.unknown b.html")
                == "t\n\nt\n\nt\n\n"
        )
        let missing = """
            Clipboard content is not available as inferred output type "image/png"
            Use "wl-paste --list-types" to view available types. Use "--type" to explicitly specify a type.
            1

            """
        #expect(try output("pasteboard copy -t text=t; wl-paste > c.png; echo $?") == missing)
        #expect(try output("wl-paste -t text > c.png; cat c.png; wl-paste | cat") == "t\n\nt\n\n")
    }

    @Test("xsel --append loses nothing that others copy meanwhile, and keeps other items")
    func append() throws {
        let all = "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i | xsel -ab & done; wait; xsel -bo | sort -n"
        #expect(try output(all) == (1...10).map { "\($0)\n" }.joined())
        #expect(
            try output("echo a | pasteboard copy; pasteboard copy --add a.png; echo b | xsel -ab; xsel -bo") == "a\nb\n"
        )
        #expect(try output("pasteboard paste -q -t png | cmp - a.png; pasteboard types | grep -c kept") == "2\n")
        #expect(
            try output("printf 'x\\n' | xsel -bi --trim; printf 'y\\n\\n' | xsel -ab --trim; xsel -bo; xsel -bo --trim")
                == "xy\nxy"
        )
        #expect(try output("echo s | xsel -bi -t 600000; pasteboard info | grep -c expires") == "1\n")
    }

    @Test("xclip adds a text to other contents, and clears them after a paste")
    func alternative() throws {
        #expect(
            try output("xclip -t image/png -alt-text words a.png; xclip -o; xclip -o -t image/png | cmp - a.png")
                == "words"
        )
        #expect(try output("echo once | xclip -wait 50; xclip -o; xclip -o; echo $?").hasPrefix("once\nError"))
    }

    @Test("xsel prints, appends, clears and keeps")
    func xsel() throws {
        #expect(try output("xsel -o; echo $?; xsel -bo") == "0\n")
        #expect(
            try output("echo a | xsel -ab; echo b | xsel --append -b; xsel -bo; pasteboard paste") == "a\nb\na\nb\n"
        )
        #expect(try output("xsel -bc; xsel -b -o; echo $?") == "0\n")
        #expect(
            try output("echo p | xsel -i; echo s | xsel -is; xsel -o; xsel -os; pasteboard paste -p") == "p\ns\np\n"
        )
        #expect(try output("echo q | xsel | cat; xsel -o") == "p\nq\n")
        let offer = try desk.offer(["-t", "text=echo made"], board: "primary")
        #expect(try output("xsel -k; pasteboard types -p; xsel -o").hasSuffix("  5  kept\nmade\n"))
        #expect(try offer.finish().exitCode == 0)
        #expect(try output("xsel -k; xsel -os") == "s\n")
        let once = try desk.offer(["--once", "-t", "text=printf once"], board: "primary")
        #expect(try output("xsel -k; xsel -o; xsel -o") == "once")
        #expect(try once.finish().exitCode == 0)
    }

    @Test(
        "An option that is not supported is refused with 2, and changes nothing",
        arguments: ["pbcopy -foo", "pbpaste -ascii", "wl-copy -z", "wl-paste --foo", "xclip -zz", "xsel -f"]
    )
    func unsupported(command: String) throws {
        let words = command.split(separator: " ")
        let refused = try desk.shell("echo x | \(command)")
        #expect(refused.exitCode == 2 && refused.output.isEmpty)
        #expect(refused.errorText.hasPrefix("\(words[0]): option '\(words[1])' is not supported; \(words[0]) -"))
        #expect(try desk.run("status").exitCode == 3)
    }

    @Test(
        "The help lists the options, and the version names the program",
        arguments: ["pbcopy -help", "wl-paste --help", "xclip -help", "xsel --help"]
    )
    func help(command: String) throws {
        let help = try desk.succeed(command)
        #expect(help.hasPrefix("usage: \(command.split(separator: " ")[0]) [OPTION ...]\n"))
        #expect(help.contains("help\n"))
        #expect(try output("wl-copy --version; xclip -version").hasPrefix("wl-copy of pasteboard "))
    }

    @Test(
        "In the foreground a program ends when its contents are replaced or pasted, and clears them if a signal ends it",
        arguments: ["wl-copy -f", "xclip -quiet -i -selection clipboard", "xsel --nodetach -i -b"]
    )
    func foreground(command: String) throws {
        let copied = "echo words | \(command) & pasteboard paste --wait"
        #expect(try output("\(copied); pasteboard clear; wait $!; echo $?") == "words\n0\n")
        #expect(try output("\(copied); wl-copy other; wait $!; echo $?; wl-paste") == "words\n0\nother\n")
        #expect(try output("pasteboard clear; \(copied); kill $!; wait $!; echo $?; pbpaste") == "words\n143\n")
        let once = "pasteboard clear; printf ab | xclip -loops 2 -quiet & pasteboard paste -p --wait; xclip -o; wait $!"
        #expect(try output("\(once); echo $?") == "abab0\n")
    }

    @Test("wl-paste --watch runs its command with the contents, those of secrets excepted")
    func watch() throws {
        let missing = "wl-paste: cannot run no-such-program: it is not in PATH\n127\n"
        #expect(try output("wl-paste -w no-such-program; echo $?") == missing)
        let script = "echo \"$CLIPBOARD_STATE $CLIPBOARD_TYPE<$(cat)>\""
        let watch = try ProcessRunner(
            desk.directory["links/wl-paste"],
            ["-w", "sh", "-c", script],
            environment: desk.environment
        )
        #expect(try watch.nextLine() == "nil <>")
        try desk.copy("words")
        #expect(try watch.nextLine() == "data text/plain;charset=utf-8<words>")
        try desk.copy("password", "--sensitive")
        #expect(try watch.nextLine() == "sensitive text/plain;charset=utf-8<>")
        _ = try desk.run("clear")
        #expect(try watch.nextLine() == "clear <>")
        try watch.child.killGroup(SIGTERM)
        #expect(try watch.finish().exitCode == 143)
    }

    @Test("wl-paste --watch with a type skips contents without it")
    func watchedType() throws {
        try desk.copy("words")
        let watch = try ProcessRunner(
            desk.directory["links/wl-paste"],
            ["--type", "image", "--watch", "sh", "-c", "wc -c"],
            environment: desk.environment
        )
        // Changes in quick succession count as one, so each is awaited by another watch.
        let all = try desk.start("watch", "--since", "0")
        _ = try all.nextLine()
        try desk.copy("more words")
        _ = try all.nextLine()
        #expect(try desk.run("copy", "a.png").exitCode == 0)
        #expect(try watch.nextLine() == "\(Self.png.count)")
    }
}
