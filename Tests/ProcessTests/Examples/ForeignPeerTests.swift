import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Sources and destinations in C and Python, which were written from the protocol's documents alone.
@Suite(.processes, .enabled(if: ForeignPrograms.areAvailable, "\(ForeignPrograms.needs)"))
struct ForeignPeerTests {
    /// More than any window of credit.
    nonisolated private static let large = 5 << 20
    /// Without an option, descriptors are passed.
    nonisolated private static let ways: [[String]] = [[], ["-i"]]

    private let desk: Desk
    private let programs: ForeignPrograms

    init() throws {
        desk = try Desk()
        programs = try ForeignPrograms(at: desk)
    }

    private func summary(_ count: Int, isPassed: Bool) -> String {
        "public.png: \(count) bytes \(isPassed ? "as a file" : "in frames")"
    }

    @Test(
        "A promised file arrives at the command line and in both languages",
        arguments: ForeignLanguage.allCases,
        ways
    )
    func promises(language: ForeignLanguage, way: [String]) throws {
        for count in [Self.large, 5, 0] {
            let bytes = Desk.bytes(count)
            try desk.directory.write(bytes, to: "file")
            let source = try programs.offer(in: language, way + ["-t", "public.png", "file"])
            #expect(try desk.run("paste", "-t", "public.png").output == bytes)
            for destination in ForeignLanguage.allCases {
                for option in Self.ways {
                    let loaded = try programs.load(in: destination, option + ["-t", "public.png"])
                    #expect(loaded.exitCode == 0 && loaded.output == bytes)
                    #expect(loaded.errorText == summary(count, isPassed: way.isEmpty && option.isEmpty) + "\n")
                }
            }
            try desk.copy("other")
            #expect(try source.rest().last == "replaced")
        }
    }

    @Test("Several loads of one promise at once are served", arguments: ForeignLanguage.allCases)
    func together(language: ForeignLanguage) throws {
        let bytes = Desk.bytes(Self.large)
        try desk.directory.write(bytes, to: "file")
        let source = try programs.offer(in: language, ["-i", "file"])
        let loads =
            try (0..<4).map { _ in try desk.start("paste") }
            + ForeignLanguage.allCases.map { try programs.start("destination", in: $0, []) }
        for load in loads { #expect(try load.finish().output == bytes) }
        try desk.run("clear")
        #expect(try source.rest().last == "cleared")
    }

    @Test("Bytes that the broker keeps arrive after their source has ended", arguments: ForeignLanguage.allCases, ways)
    func kept(language: ForeignLanguage, way: [String]) throws {
        for count in [Self.large, 0] {
            let bytes = Desk.bytes(count)
            try desk.directory.write(bytes, to: "file")
            let source = try programs.start("source", in: language, way + ["-k", "-t", "public.png", "file"])
            #expect(try source.rest() == ["kept"])
            #expect(try desk.run("types").text == "public.png  \(count)  kept  file\n")
            #expect(try desk.run("paste", "-t", "public.png").output == bytes)
            for destination in ForeignLanguage.allCases {
                let loaded = try programs.load(in: destination, way)
                #expect(loaded.exitCode == 0 && loaded.output == bytes)
                #expect(loaded.errorText == summary(count, isPassed: way.isEmpty && count > 0) + "\n")
            }
        }
    }

    @Test(
        "What the command line copies and offers is loaded, and failures are reported",
        arguments: ForeignLanguage.allCases,
        ways
    )
    func commandLine(language: ForeignLanguage, way: [String]) throws {
        let bytes = Desk.bytes(Self.large)
        try desk.directory.write(bytes, to: "large.png")
        #expect(try desk.run("copy", "large.png").exitCode == 0)
        let copied = try programs.load(in: language, way)
        #expect(copied.exitCode == 0 && copied.output == bytes)
        #expect(copied.errorText == summary(bytes.count, isPassed: way.isEmpty) + "\n")

        let offer = try desk.offer(["-t", ".png=cat large.png", "-t", "text=echo no >&2; exit 3"])
        let offered = try programs.load(in: language, way + ["-t", "public.png"])
        #expect(offered.exitCode == 0 && offered.output == bytes)
        #expect(offered.errorText == summary(bytes.count, isPassed: false) + "\n")
        let failed = try programs.load(in: language, way + ["-t", "public.text"])
        #expect(failed.exitCode == 1 && failed.errorText.contains("ended with status 3: no"))
        let unavailable = try programs.load(in: language, way + ["-t", "public.mp3"])
        #expect(unavailable.exitCode == 1 && unavailable.errorText.contains("no representation is of type public.mp3"))

        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
        let empty = try programs.load(in: language, way)
        #expect(empty.exitCode == 1 && empty.errorText.contains("is empty"))
    }

    @Test("An error and the death of a source reach every destination", arguments: ForeignLanguage.allCases)
    func failures(language: ForeignLanguage) throws {
        try desk.directory.write("text", to: "file")
        let source = try programs.offer(in: language, ["file"])
        try System.unlink(desk.directory["file"])
        let paste = try desk.run("paste")
        #expect(paste.exitCode == 5 && paste.errorText.contains("No such file or directory"))
        for destination in ForeignLanguage.allCases {
            let failed = try programs.load(in: destination)
            #expect(failed.exitCode == 1 && failed.errorText.contains("No such file or directory"))
        }
        // A failed load does not end the offer.
        try desk.directory.write("text", to: "file")
        #expect(try desk.run("paste").text == "text")

        try source.child.kill(SIGKILL)
        #expect(try source.finish().exitCode == 137)
        #expect(try desk.run("paste").exitCode == 5)
        for destination in ForeignLanguage.allCases {
            let failed = try programs.load(in: destination)
            #expect(failed.exitCode == 1 && failed.errorText.contains("has ended"))
        }
    }

    @Test(
        "A cancelled load is reported to its source, which serves the next one",
        arguments: ForeignLanguage.allCases,
        ForeignLanguage.allCases
    )
    func cancelled(language: ForeignLanguage, destination: ForeignLanguage) throws {
        let bytes = Desk.bytes(Self.large)
        try desk.directory.write(bytes, to: "file")
        let source = try programs.offer(in: language, ["-i", "file"])
        let cancelled = try programs.load(in: destination, ["-f", "100000"])
        #expect(cancelled.exitCode == 1 && cancelled.errorText == "cancelled after 100000 bytes\n")
        #expect(cancelled.output == Array(bytes.prefix(100_000)))
        #expect(try source.nextLine() == "asked for public.data")
        #expect(try source.nextLine() == "cancelled")
        #expect(try programs.load(in: destination).output == bytes)
        try desk.copy("other")
        #expect(try source.rest() == ["asked for public.data", "sent \(bytes.count) bytes", "replaced"])
    }

    // MARK: Drops

    private func startTarget(_ arguments: [String]) throws -> ProcessRunner {
        _ = try desk.directory.makeDirectory("in")
        let target = try programs.start("drop_target", in: .python, arguments + ["-d", "in", "desk"])
        #expect(try target.nextLine() == "registered as desk")
        return target
    }

    @Test("Files that the command line drags are dropped on a program in Python", arguments: ways)
    func drops(way: [String]) throws {
        let bytes = Desk.bytes(Self.large)
        try desk.directory.write(bytes, to: "a.png")
        try desk.directory.write("text", to: "b.txt")
        let target = try startTarget(way)
        #expect(try desk.run("drag", "a.png", "b.txt", "--to", "desk").exitCode == 0)
        #expect(try target.nextLine() == "proposed copy of 2 items of pasteboard")
        // The loads of the items may end in any order.
        let lines = [try target.nextLine(), try target.nextLine()].sorted()
        let form = way.isEmpty ? "as a file" : "in frames"
        #expect(lines[0] == "in/a.png: public.png, \(bytes.count) bytes \(form)")
        #expect(lines[1].hasPrefix("in/b.txt: "))
        #expect(try target.nextLine() == "copy of 2 items")
        #expect(try target.nextLine() == "session ended")
        #expect(try desk.directory.contents(of: "in/a.png") == bytes)
        #expect(try desk.directory.contents(of: "in/b.txt") == Array("text".utf8))

        #expect(try desk.run("drag", "--move", "a.png", "--to", "desk").exitCode == 0)
        #expect(try target.nextLine() == "proposed move of 1 items of pasteboard")
        #expect(try target.nextLine().hasPrefix("in/a 2.png: "))
        #expect(try target.nextLine() == "move of 1 items")
        #expect(try target.nextLine() == "session ended")
        #expect(try desk.directory.contents(of: "in/a 2.png") == bytes)
        #expect(!desk.directory.names().contains("a.png"))
    }

    @Test("A type that the program in Python does not accept is not dropped on it")
    func refusedDrop() throws {
        try desk.directory.write("text", to: "b.txt")
        let target = try startTarget(["-t", "public.png"])
        #expect(try desk.run("drag", "b.txt", "--to", "desk").exitCode == 1)
        try target.child.kill(SIGKILL)
        #expect(try target.finish().exitCode == 137)
    }

    @Test("A drop that its source fails or withdraws leaves no file")
    func failedDrop() throws {
        let target = try startTarget([])
        let failing = try RawDragSource(at: desk)
        #expect(try failing.drop(at: "desk") == .copy)
        try failing.peer.send(Failure(.sourceFailed, "broken"), stream: try failing.asked())
        #expect(try failing.transferred().failure?.code == .sourceFailed)
        #expect(try target.nextLine() == "proposed copy of 1 items of raw")
        #expect(try target.nextLine().hasPrefix("item 0 failed, source-failed: "))
        #expect(try target.nextLine().hasPrefix("copy of 0 items failed, source-failed: "))
        #expect(try target.nextLine() == "session ended")

        let withdrawn = try RawDragSource(at: desk)
        #expect(try withdrawn.drop(at: "desk") == .copy)
        _ = try withdrawn.asked()
        try withdrawn.withdraw()
        #expect(try target.nextLine() == "proposed copy of 1 items of raw")
        #expect(try target.nextLine().hasPrefix("item 0 failed, source-gone: "))
        #expect(try target.nextLine() == "session ended")
        #expect(desk.directory.names(in: "in").isEmpty)
    }
}
