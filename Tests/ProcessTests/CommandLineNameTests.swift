import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// A file comes out as it went in: its name byte for byte, its mode and its time.
@ProcessTesting @Suite(.serialized, .timeLimit(.minutes(5))) struct CommandLineNameTests {
    private static let names: [SystemString] = [
        "Makefile", "runme", ".bashrc", "-x", " a ", "notes.", "a b.txt", "*", "archive.tar.gz", "世界",
        SystemString([0x6E, 0xFF, 0x61]), SystemString([0xC3]), SystemString([UInt8](repeating: 0xFE, count: 255)),
    ]

    private let desk: Desk

    init() throws {
        self.desk = try Desk()
        _ = try self.desk.directory.makeDirectory("from")
        _ = try self.desk.directory.makeDirectory("in")
        for (index, name) in Self.names.enumerated() {
            let path = self.path("from", name)
            let file = try System.open(path, [.writing, .exclusive])
            try System.write([UInt8](repeating: UInt8(index), count: index).span, to: file.raw)
            try System.setMode([0o644, 0o755, 0o600, 0o444, 0o640][index % 5], of: file.raw)
            try System.setModificationTime(seconds: 1_000_000_000 + Int64(index), nanoseconds: 5, of: file.raw)
        }
    }

    private func path(_ directory: String, _ name: SystemString) -> SystemString {
        SystemString(self.desk.directory[directory]).appending(name)
    }

    private func expectAll(removedFrom: Bool = false) throws {
        for (index, name) in Self.names.enumerated() {
            let status = try #require(try System.status(at: self.path("in", name)), "\(name)")
            #expect(status.mode == [0o644, 0o755, 0o600, 0o444, 0o640][index % 5])
            #expect(status.modifiedAt == 1_000_000_000_000_000_000 + Int64(index) * 1_000_000_000 + 5)
            let bytes = try System.contents(of: self.path("in", name))
            #expect(bytes == [UInt8](repeating: UInt8(index), count: index))
            #expect(try (System.status(at: self.path("from", name)) == nil) == removedFrom)
        }
        #expect(self.desk.directory.names(in: "in").count == Self.names.count)
    }

    @Test("Copied files come out of paste --into as they were")
    func copied() throws {
        let copy = try self.desk.shell("umask 022; cd from && pasteboard copy -- * .bashrc")
        #expect(copy.exitCode == 0, "\(copy.errorText)")
        let paste = try self.desk.shell("umask 022; pasteboard paste --into in")
        #expect(paste.exitCode == 0, "\(paste.errorText)")
        try self.expectAll()
        // The paths are printed as they are, for other programs.
        let lines = paste.output.split(separator: UInt8(ascii: "\n")).map { SystemString($0) }
        #expect(Set(lines) == Set(Self.names.map { SystemString("in").appending($0) }))
    }

    @Test("Moved files come out of drop as they were, and only then are the originals deleted")
    func moved() throws {
        let script = """
            umask 022
            pasteboard drop --as in --into in --once 2>taken & for _ in $(seq 3000); do
                pasteboard drop --list | grep -q '^in ' && break; sleep 0.01
            done
            cd from && pasteboard drag --move --to in -- * .bashrc; wait
            """
        let drag = try self.desk.shell(script)
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        try self.expectAll(removedFrom: true)
    }

    @Test("A mode is narrowed by the mask, never widened, and set-user-id does not travel")
    func modes() throws {
        let script = """
            cp /bin/true from/suid; chmod 4755 from/suid; umask 077; pasteboard copy from/suid; pasteboard paste --into in
            umask 022; pasteboard copy from/.bashrc; pasteboard paste -o new; stat -c %a from/.bashrc in/suid new
            echo x >old; chmod 664 old; pasteboard paste -o old; stat -c %a old
            """
        #expect(try self.desk.shell(script).text == "in/suid\n600\n700\n600\n664\n")
    }

    @Test("Paths that are not UTF-8 lead where they say, for -o, --into and -t TYPE=FILE")
    func paths() throws {
        let script = #"""
            o=$(printf 'o\377.txt'); d=$(printf 'd\377'); mkdir "$d"; echo x | pasteboard copy --name y
            pasteboard paste -o "$o" && cat "$o" && pasteboard paste --into "$d" >/dev/null && cat "$d"/y.txt
            echo z >"$o"; pasteboard copy -t text="$o" && pasteboard paste
            """#
        #expect(try self.desk.shell(script).text == "x\nx\nz\n")
        let names = try System.status(at: self.path(".", SystemString([0x6F, 0xFF, 0x2E, 0x74, 0x78, 0x74])))
        #expect(names?.kind == .regular)
    }

    @Test(
        "Any other value that is not UTF-8 is refused, so that no two names lead to one board",
        arguments: [
            "copy --board \"$x\" f", "paste -t \"$x\"", "copy --name \"$x\" f", "drag --to \"$x\" f",
            "drop --as \"$x\"",
        ]
    )
    func refused(command: String) throws {
        let run = try self.desk.shell("x=$(printf 'n\\377'); echo f >f; pasteboard \(command)")
        #expect(run.exitCode == 2)
        #expect(run.errorText.contains("'n\\xFF' is not UTF-8"))
    }

    @Test("A name that a program suggests still gets the extension of its type; a name for a file replaces its own")
    func suggested() throws {
        _ = try self.desk.shell("echo x | pasteboard copy --name notes; pasteboard paste --into in")
        _ = try self.desk.shell("pasteboard copy --name other -t text from/runme; pasteboard paste --into in")
        #expect(self.desk.directory.names(in: "in") == ["notes.txt", "other.txt"])
    }

    @Test("- is standard input, wherever a file may be, and what a shell gives by /dev/fd has no name")
    func standardInput() throws {
        let script = """
            echo a | pasteboard copy - && pasteboard paste -o - && echo b | pasteboard copy from/-x - && pasteboard paste --item 2
            pasteboard copy - - </dev/null; echo $?
            bash -c 'pasteboard copy <(echo c)' && pasteboard paste --into in
            """
        let run = try self.desk.shell(script)
        #expect(run.text == "a\nb\n2\nin/pasted.txt\n")
    }
}
