import PasteboardTransport
import TestSupport
import Testing

/// The transcripts of `Tests/CommandLine`, and those in the documentation.
@Suite(.processes) struct ConsoleTests {
    private static func blocks() throws -> [Transcript] {
        let folder = "Sources/PasteboardKit/PasteboardKit.docc"
        let articles = TemporaryDirectory.names(at: "\(Document.root)/\(folder)").filter { $0.hasSuffix(".md") }
        return try (["README.md", "Examples/README.md"] + articles.map { "\(folder)/\($0)" }).flatMap { file in
            try Transcript.blocks(file)
        }
    }

    @Test("The README and the articles", arguments: try blocks())
    func articles(_ block: Transcript) throws { try TranscriptPlayer.play(block) }

    @Test("The broker as a process", arguments: try Transcript.cases("broker"))
    func broker(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard-conformance", arguments: try Transcript.cases("conformance"))
    func conformance(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Flags, lifetime and conditions of contents", arguments: try Transcript.cases("contents"))
    func contents(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard copy", arguments: try Transcript.cases("copy"))
    func copy(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "pasteboard desktop, with unusual programs of X11",
        .enabled(if: ["Xvfb", "xclip"].allSatisfy(InstalledPrograms.contains), "needs Xvfb and xclip"),
        .unsanitized,
        arguments: try Transcript.cases("desktop-peers")
    )
    func desktopPeers(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "pasteboard desktop, with a display of another user",
        .enabled(if: System.userID == 0, "needs root, which alone can run a server for another user"),
        .enabled(if: ["Xvfb", "xclip"].allSatisfy(InstalledPrograms.contains), "needs Xvfb and xclip"),
        arguments: try Transcript.cases("desktop-root")
    )
    func desktopRoot(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "pasteboard desktop on X11",
        .enabled(if: ["Xvfb", "xclip", "xsel"].allSatisfy(InstalledPrograms.contains), "needs Xvfb, xclip and xsel"),
        .unsanitized,
        arguments: try Transcript.cases("desktop-x11")
    )
    func desktopX11(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "pasteboard desktop on Wayland",
        .enabled(if: ["sway", "wl-copy"].allSatisfy(InstalledPrograms.contains), "needs sway and wl-clipboard"),
        .enabled(if: System.userID != 0, "needs an ordinary user"),
        .unsanitized,
        arguments: try Transcript.cases("desktop-wayland")
    )
    func desktopWayland(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard doctor", arguments: try Transcript.cases("doctor"))
    func doctor(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard drag and drop", arguments: try Transcript.cases("dragging"))
    func dragging(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("The examples and the demo", arguments: try Transcript.cases("examples"))
    func examples(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Commands whose system calls fail", arguments: try Transcript.cases("failing"))
    func failing(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Files and folders", arguments: try Transcript.cases("files"))
    func files(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("PASTEBOARD_DEBUG=frames", arguments: try Transcript.cases("frames"))
    func frames(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard install and uninstall", arguments: try Transcript.cases("install"))
    func install(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Kept contents", arguments: try Transcript.cases("kept"))
    func kept(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Programs with the library, and the command line", arguments: try Transcript.cases("library"))
    func library(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard link", arguments: try Transcript.cases("linking"))
    func linking(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "pasteboard link over ssh",
        .enabled(if: System.userID == 0, "needs root, which alone can run a server for another user"),
        .enabled(if: InstalledPrograms.contains("sshd"), "needs sshd"),
        arguments: try Transcript.cases("linking-ssh")
    )
    func linkingSSH(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "A forwarded socket",
        .enabled(if: InstalledPrograms.contains("socat"), "needs socat"),
        arguments: try Transcript.cases("links")
    )
    func links(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Limits of memory and of the size of files", .unsanitized, arguments: try Transcript.cases("memory"))
    func memory(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard offer", arguments: try Transcript.cases("offer"))
    func offer(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard paste", arguments: try Transcript.cases("paste"))
    func paste(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Commands whose broker is killed", arguments: try Transcript.cases("reconnection"))
    func reconnection(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("JSON and timeouts", arguments: try Transcript.cases("reports"))
    func reports(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test(
        "What only root can bring about",
        .enabled(if: System.userID == 0, "needs root"),
        .unsanitized,
        arguments: try Transcript.cases("root")
    )
    func root(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard run", arguments: try Transcript.cases("run"))
    func run(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("The names of other clipboard programs", arguments: try Transcript.cases("shims"))
    func shims(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("The command line as a whole", arguments: try Transcript.cases("tool"))
    func tool(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Trees", arguments: try Transcript.cases("trees"))
    func trees(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("The types of files and of standard input", arguments: try Transcript.cases("types"))
    func types(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("pasteboard watch, and paste --wait", arguments: try Transcript.cases("watch"))
    func watch(_ transcript: Transcript) throws { try TranscriptPlayer.play(transcript) }

    @Test("Each file is played")
    func complete() throws {
        let tests = try Document("Tests/ProcessTests/CommandLine/Console/ConsoleTests.swift").lines.joined()
        let files = TemporaryDirectory.names(at: "\(Document.root)/Tests/CommandLine")
        #expect(files.count > 10)
        for file in files { #expect(tests.contains("cases(\"\(file.split(separator: ".")[0])\")"), "\(file)") }
    }
}
