import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A pasted file has the same name, byte for byte, mode and time as the original.
@Suite(.processes) struct CommandLineNameTests {
    private static let names: [SystemString] = [
        "Makefile", "runme", ".bashrc", "-x", " a ", "notes.", "a b.txt", "*", "archive.tar.gz", "世界",
        SystemString([0x6E, 0xFF, 0x61]), SystemString([0xC3]), SystemString([UInt8](repeating: 0xFE, count: 255)),
    ]

    private let desk: Desk

    init() throws {
        desk = try Desk()
        _ = try desk.directory.makeDirectory("from")
        _ = try desk.directory.makeDirectory("in")
        for (index, name) in Self.names.enumerated() {
            let path = self.path("from", name)
            let file = try System.open(path, [.writing, .exclusive])
            try System.write([UInt8](repeating: UInt8(index), count: index).span, to: file.raw)
            try System.setMode([0o644, 0o755, 0o600, 0o444, 0o640][index % 5], of: file.raw)
            try System.setModificationTime(seconds: 1_000_000_000 + Int64(index), nanoseconds: 5, of: file.raw)
        }
    }

    private func path(_ directory: String, _ name: SystemString) -> SystemString {
        SystemString(desk.directory[directory]).appending(name)
    }

    /// Starts a destination and waits until it has registered for one drop into `in`.
    private func destination() throws -> ProcessRunner {
        let drop = try desk.start("drop", "--as", "in", "--into", "in", "--once")
        try drop.waitForErrors(containing: "accepting ")
        return drop
    }

    private func expectAll(removedFrom: Bool = false) throws {
        for (index, name) in Self.names.enumerated() {
            let status = try #require(try System.status(at: path("in", name)), "\(name)")
            #expect(status.mode == [0o644, 0o755, 0o600, 0o444, 0o640][index % 5])
            #expect(status.modifiedAt == 1_000_000_000_000_000_000 + Int64(index) * 1_000_000_000 + 5)
            let bytes = try System.contents(of: path("in", name))
            #expect(bytes == [UInt8](repeating: UInt8(index), count: index))
            #expect(try (System.status(at: path("from", name)) == nil) == removedFrom)
        }
        #expect(desk.directory.names(in: "in").count == Self.names.count)
    }

    @Test("A name that is not UTF-8 keeps its extension, and two files have two paths in JSON")
    func undecodable() throws {
        let names = "cd from; rm -f -- * .b*; printf 1 > \"$(printf 'caf\\351.txt')\"; printf 2 > 'caf\\xE9.txt'"
        try desk.succeed("\(names); pasteboard copy *")
        try desk.succeed("pasteboard paste --into in; pasteboard paste --into in")
        let caf = [UInt8]("caf".utf8) + [0xE9]
        #expect(desk.directory.names(in: "in").count == 4)
        #expect(try System.contents(of: path("in", SystemString(caf + " 2.txt".utf8))) == [0x31])
        let json = try desk.run("paste", "--into", "in", "--json").text
        #expect(json.contains(#""path":"in/caf\\xE9 3.txt""#) && json.contains(#""path":"in/caf\\\\xE9 3.txt""#))
    }

    @Test("paste --force gives the same files again, and --name names them by the time")
    func repeated() throws {
        try desk.succeed("mkdir a b a/d b/d; echo 1 > a/x; echo 2 > b/x; pasteboard copy a/x b/x a/d b/d")
        for _ in 0..<2 {
            #expect(try desk.run("paste", "--force", "--into", "in").text == "in/x\nin/x 2\nin/d\nin/d 2\n")
            #expect(try desk.succeed("cat in/x 'in/x 2'") == "1\n2\n")
        }
        #expect(desk.directory.names(in: "in").count == 4)
        let named = try desk.run("paste", "--into", "in", "--name", "%Y-shot", "--item", "1").text
        #expect(named.wholeMatch(of: /in\/20\d\d-shot(\.txt)?\n/) != nil, "\(named)")
        #expect(try desk.run("paste", "--name", "x").exitCode == 2)
        #expect(try desk.run("paste", "--into", "in", "--item", "9").exitCode == 1)
    }

    @Test("A sparse file is pasted with all its bytes, kept and promised, also after other bytes")
    func holes() throws {
        try desk.succeed("truncate -s 20M sparse; printf x | dd of=sparse bs=1 seek=9000000 conv=notrunc 2> /dev/null")
        for command in ["pasteboard copy sparse", "pasteboard offer --background sparse > /dev/null 2>&1"] {
            try desk.succeed("\(command); pasteboard paste -o out; pasteboard paste > plain")
            try desk.succeed("cmp sparse out; cmp sparse plain; pasteboard paste | cmp - sparse")
            try desk.succeed("printf head > plain; pasteboard paste >> plain; tail -c +5 plain | cmp - sparse")
        }
        // tar keeps the holes.
        try desk.succeed("mkdir tree; mv sparse tree; pasteboard copy tree; pasteboard paste --into in")
        try desk.succeed("cmp tree/sparse in/tree/sparse")
        #expect(try #require(Int(desk.succeed("du -k in/tree/sparse | cut -f1").dropLast())) < 1_000)
    }

    @Test("A note has the number of pipes, sockets and devices that the copies of a directory lack")
    func specials() throws {
        try desk.succeed("mkdir -p tree/sub; mkfifo tree/p tree/sub/p; echo 1 > tree/f")
        let copy = try desk.run("copy", "tree")
        #expect(
            copy.errorText
                == "pasteboard: copy: 2 special files (pipes, sockets, devices) in the directory will be missing where it is pasted with --into or dropped\n"
        )
        try desk.succeed("pasteboard paste --into in")
        #expect(desk.directory.names(in: "in/tree").sorted() == ["f", "sub"])
    }

    @Test("Copied files are unchanged after paste --into")
    func copied() throws {
        let copy = try desk.shell("umask 022; cd from && pasteboard copy -- * .bashrc")
        #expect(copy.exitCode == 0, "\(copy.errorText)")
        let paste = try desk.shell("umask 022; pasteboard paste --into in")
        #expect(paste.exitCode == 0, "\(paste.errorText)")
        try expectAll()
        // The paths are printed unchanged, for other programs.
        let lines = paste.output.split(separator: UInt8(ascii: "\n")).map { SystemString($0) }
        #expect(Set(lines) == Set(Self.names.map { SystemString("in").appending($0) }))
    }

    @Test("Moved files are unchanged after drop, and only then are the originals deleted")
    func moved() throws {
        let drop = try destination()
        let drag = try desk.shell("cd from && pasteboard drag --move --to in -- * .bashrc")
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        #expect(try drop.finish().exitCode == 0)
        try expectAll(removedFrom: true)
    }

    @Test("A mode is narrowed by the mask, never widened, and set-user-id is dropped")
    func modes() throws {
        let script = """
            cp /bin/true from/suid; chmod 4755 from/suid; umask 077; pasteboard copy from/suid; pasteboard paste --into in
            umask 022; pasteboard copy from/.bashrc; pasteboard paste -o new; stat -c %a from/.bashrc in/suid new
            echo x >old; chmod 664 old; pasteboard paste -o old; stat -c %a old
            """
        #expect(try desk.shell(script).text == "in/suid\n600\n700\n600\n664\n")
    }

    @Test("If an offered file has lost permissions in the meantime, the copy does not have them either")
    func narrowedMeanwhile() throws {
        try desk.directory.write("secret", to: "key")
        let script = """
            set -e
            chmod 644 key
            offer=$(pasteboard offer --background key)
            chmod 600 key
            pasteboard paste --into in >/dev/null
            pasteboard paste -o copy
            kill $offer
            stat -c %a in/key copy
            """
        let ended = try desk.shell(script)
        #expect(ended.text == "600\n600\n", "\(ended.errorText)")
    }

    @Test("Paths that are not UTF-8 are used unchanged for -o, --into and -t TYPE=FILE")
    func paths() throws {
        let script = #"""
            o=$(printf 'o\377.txt'); d=$(printf 'd\377'); mkdir "$d"; echo x | pasteboard copy --name y
            pasteboard paste -o "$o" && cat "$o" && pasteboard paste --into "$d" >/dev/null && cat "$d"/y.txt
            echo z >"$o"; pasteboard copy -t text="$o" && pasteboard paste
            """#
        #expect(try desk.shell(script).text == "x\nx\nz\n")
        let names = try System.status(at: path(".", SystemString([0x6F, 0xFF, 0x2E, 0x74, 0x78, 0x74])))
        #expect(names?.kind == .regular)
    }

    @Test("A suggested name still gets the extension of its type; the name of a file replaces its own")
    func suggested() throws {
        _ = try desk.shell("echo x | pasteboard copy --name notes; pasteboard paste --into in")
        _ = try desk.shell("pasteboard copy --name other -t text from/runme; pasteboard paste --into in")
        #expect(desk.directory.names(in: "in") == ["notes.txt", "other.txt"])
    }

    @Test("The operand - is standard input in place of any file, and a shell's /dev/fd file has no name")
    func standardInput() throws {
        let script = """
            echo a | pasteboard copy - && pasteboard paste -o - && echo b | pasteboard copy from/-x - && pasteboard paste --item 2
            pasteboard copy - - </dev/null; echo $?
            bash -c 'pasteboard copy <(echo c)' && pasteboard paste --into in
            """
        let run = try desk.shell(script)
        #expect(run.text == "a\nb\n2\nin/pasted.txt\n")
    }

    @Test("A file in memory is a regular file, and each of several representations keeps its mode")
    func memory() throws {
        let directory = "/dev/shm/pb-names-\(System.processID)"
        let script = """
            umask 022; mkdir \(directory); echo key >\(directory)/key; chmod 600 \(directory)/key
            pasteboard copy \(directory)/key; pasteboard paste --into in
            pasteboard copy -t text=\(directory)/key -t public.data=\(directory)/key; pasteboard paste --into in
            rm -r \(directory); stat -c %a in/key in/pasted.txt
            """
        #expect(try desk.shell(script).text == "in/key\nin/pasted.txt\n600\n600\n")
    }

    @Test("Other contents lose the set-user-id bit, and the archive of a private folder is private")
    func outputModes() throws {
        let script = """
            umask 022; cp /bin/true x; chmod 4755 x; echo hi | pasteboard copy; pasteboard paste -o x; stat -c %a x
            mkdir -m 700 sec; echo key >sec/key; pasteboard copy sec; pasteboard paste -o sec.tar; stat -c %a sec.tar
            """
        #expect(try desk.shell(script).text == "755\n600\n")
    }

    @Test("Bytes appended to an offered file belong to it, and another folder of the same name does not")
    func changedOffers() throws {
        try desk.directory.write("1", to: "g")
        let offer = try desk.offer(["g"])
        #expect(try desk.shell("printf 23 >>g; pasteboard paste").text == "123")
        try offer.child.kill(SIGTERM)
        _ = try offer.finish()

        _ = try desk.shell("mkdir of; echo mine >of/a")
        let folder = try desk.offer(["of"])
        let paste = try desk.shell(
            "mv of of2; mkdir of; echo other >of/b; pasteboard paste | tar tf -; pasteboard paste"
        )
        #expect(paste.text.isEmpty && paste.exitCode == 5)
        #expect(paste.errorText.contains("the folder of was moved, replaced or removed meanwhile"))
        try folder.child.kill(SIGTERM)
        _ = try folder.finish()
    }

    @Test("Hard links to one file are moved together")
    func hardLinks() throws {
        _ = try desk.shell("echo x >one; ln one two")
        let drop = try destination()
        let drag = try desk.run("drag", "--move", "one", "two", "--to", "in")
        #expect(drag.exitCode == 0 && drag.text == "moved 2 items to in\ndeleted one\ndeleted two\n")
        #expect(try drop.finish().exitCode == 0)
    }

    @Test("A folder type needs a folder, and a file that is given twice is moved once")
    func mistakes() throws {
        let copy = try desk.shell("echo x | pasteboard copy -t public.folder")
        #expect(copy.exitCode == 2 && copy.errorText.contains("standard input is not a directory"))
        let drop = try destination()
        let drag = try desk.run("drag", "--move", "from/runme", "./from/runme", "--to", "in")
        #expect(drag.exitCode == 0 && drag.text == "moved 2 items to in\ndeleted from/runme\n")
        #expect(try drop.finish().exitCode == 0)
    }

    @Test("A representation may be read from standard input, and plain text is preferred to other text")
    func representations() throws {
        let script = """
            echo '<b>x</b>' >x.html; echo plain | pasteboard copy -t html=x.html -t text=-
            pasteboard paste -t text; pasteboard paste -t html; pasteboard copy -t text=- -t png=- </dev/null; echo $?
            """
        #expect(try desk.shell(script).text == "plain\n<b>x</b>\n2\n")
    }
}
