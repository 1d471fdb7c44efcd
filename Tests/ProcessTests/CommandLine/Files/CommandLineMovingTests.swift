import PasteboardTransport
import TestSupport
import Testing

/// Large contents pass from `copy` through the broker to `paste` as a descriptor. Neither process reads the bytes.
@Suite(.processes) struct CommandLineMovingTests {
    private let desk: Desk
    private let bytes: [UInt8] = Desk.bytes(3_000_001)

    init() throws {
        desk = try Desk()
        try desk.directory.write(bytes, to: "large.bin")
    }

    private func passed() throws -> String? {
        let lines = try desk.run("status").text.split(separator: "\n")
        return lines.first { $0.contains("descriptors-passed") }?.split(separator: " ").last.map(String.init)
    }

    @Test(
        "Large input of every kind is passed as a descriptor, and arrives in every kind of output",
        arguments: [
            "pasteboard copy large.bin", "pasteboard copy -t .bin <large.bin",
            "cat large.bin | pasteboard copy -t .bin",
            "pasteboard copy -t .bin=large.bin -t text=/dev/null",
        ]
    )
    func kinds(copy: String) throws {
        #expect(try desk.shell(copy).exitCode == 0)
        let outputs = [
            "pasteboard paste -t .bin", "pasteboard paste -t .bin | cat", "pasteboard paste -t .bin >out; cat out",
            "pasteboard paste -t .bin -o file; cat file", "pasteboard paste -t .bin -o /dev/stdout | cat",
            "pasteboard paste -t .bin --into . | xargs -d '\\n' cat",
        ]
        for output in outputs { #expect(try desk.shell(output).output == bytes, "\(output)") }
        #expect(try passed() == "\(outputs.count)")
        // The kernel refuses `sendfile` to a file opened for appending.
        #expect(try desk.shell("pasteboard paste -t .bin >>out; cat out").output == bytes + bytes)
    }

    @Test("The rest of an input is copied, and its position advances")
    func positions() throws {
        let copy = "(head -c 1000 >/dev/null; pasteboard copy -t .bin; cat) < large.bin"
        let rest = try desk.shell(copy)
        #expect(rest.output.isEmpty)
        #expect(try desk.run("paste").output.suffix(2_000_000) == bytes.suffix(2_000_000))
    }

    @Test("One newline at the end is left out, by copy and by paste")
    func newlines() throws {
        try desk.directory.write(bytes + Array("\n\n".utf8), to: "lines")
        let trimmed = bytes + Array("\n".utf8)
        #expect(try desk.shell("pasteboard copy -n -t .bin lines").exitCode == 0)
        #expect(try desk.run("paste").output == trimmed)
        #expect(try desk.run("paste", "-n").output == bytes)
        #expect(try desk.shell("cat lines | pasteboard copy -n -t .bin; pasteboard paste -n").output == bytes)
    }

    @Test("A signal ends a paste into a pipe whose reader has stalled", arguments: [2, 15] as [CInt])
    func stalledReader(signal: CInt) throws {
        #expect(try desk.run("copy", "large.bin").exitCode == 0)
        #expect(try desk.shell("mkfifo fifo").exitCode == 0)
        let paste = try desk.start("paste", "-o", "fifo")
        // Opening waits for the writer, and the first byte shows that it writes. After that nothing is read.
        let reader = try System.open(desk.directory["fifo"])
        #expect(try System.read(reader.raw, upTo: 1).count == 1)
        try paste.child.kill(signal)
        #expect(try paste.finish().exitCode == 128 + signal)
        withExtendedLifetime(reader) {}
    }

    @Test("Neither process needs memory for the bytes that it passes", .unsanitized)
    func memory() throws {
        // 64 MiB of memory for 256 MiB of bytes.
        let limited =
            "ulimit -d 65536; truncate -s 256M sparse.bin; pasteboard copy sparse.bin && pasteboard paste | wc -c"
        #expect(try desk.shell(limited).text == "\(256 << 20)\n")
        #expect(
            try desk.shell("ulimit -d 65536; cat sparse.bin | pasteboard copy; pasteboard paste | wc -c").text
                == "\(256 << 20)\n"
        )
    }

    @Test("Input too large for the broker fails before any of it is stored, and the error has the numbers")
    func tooLarge() throws {
        let small = try Desk(limits: "kept-pool = 4MiB\n")
        try small.copy("old")
        let known = try small.shell("truncate -s 64M sparse.bin; pasteboard copy sparse.bin")
        #expect(known.exitCode == 6)
        #expect(
            known.errorText.contains(
                "cannot keep 64.0 MiB: of the 4.0 MiB that the broker can keep, 1.8 MiB are free for one program"
            )
        )
        let unknown = try small.shell("cat sparse.bin | pasteboard copy")
        #expect(unknown.exitCode == 6)
        #expect(unknown.errorText.contains("or more: of the 4.0 MiB that the broker can keep"))
        #expect(try small.run("paste").text == "old")
    }
}
