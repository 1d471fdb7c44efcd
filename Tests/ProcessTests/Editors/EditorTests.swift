import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Neovim and tmux with the settings that the documentation shows.
@Suite("Editors and terminals", .processes)
struct EditorTests {
    nonisolated private static let hasNeovim = InstalledPrograms.contains("nvim")
    nonisolated private static let hasTmux = InstalledPrograms.contains("tmux")

    /// Disables paste detection by timing, since a test types faster than a person.
    nonisolated private static let tmuxSettings = "set -g mode-keys vi\nset -g assume-paste-time 0\n"

    private let page: Document
    private let directory: TemporaryDirectory
    private let environment: [String: String]

    init() throws {
        page = try Document("Sources/PasteboardKit/PasteboardKit.docc/EditorsAndTerminals.md")
        directory = try TemporaryDirectory()
        let programs = System.directory(of: try System.programPath())
        environment = [
            "HOME": directory.path, "PATH": "\(programs):\(System.environment("PATH") ?? "/usr/bin:/bin")",
            "LC_ALL": "C.UTF-8", "TERM": "xterm", "PASTEBOARD_SOCKET": directory["d/socket"],
            "XDG_STATE_HOME": try directory.makeDirectory("s"), "TMUX_TMPDIR": try directory.makeDirectory("t"),
            "SHELL": "/bin/sh", "PS1": "$ ",
        ]
    }

    @Test("Neovim yanks to a pasteboard and puts its text", .enabled(if: hasNeovim, "needs neovim"))
    func neovim() throws {
        try directory.write(try #require(page.blocks("lua").first), to: "init.lua")
        try directory.write("first line\nsecond line\n", to: "file")
        defer { _ = try? shell("pasteboard stop") }

        try edit("normal \"+yy")
        #expect(try shell("pasteboard paste").text == "first line\n")
        try edit("normal jw\"*yiw")
        #expect(try shell("pasteboard paste --board primary").text == "line")
        #expect(try shell("pasteboard paste").text == "first line\n")

        #expect(try edit("normal \"+p") == "first line\nfirst line\nsecond line\n")
        #expect(try edit("normal \"*P") == "linefirst line\nsecond line\n")
        _ = try shell("echo '<b>rich</b>' > a.html; echo plain > a.txt")
        _ = try shell("pasteboard copy -t text/html=a.html -t text/plain=a.txt")
        #expect(try edit("normal \"+p") == "first line\nplain\nsecond line\n")
        _ = try shell("pasteboard copy a.html")
        #expect(try edit("normal \"+p") == "first line\n<b>rich</b>\nsecond line\n")
        _ = try shell("printf 'eins 東京\\nzwei' | pasteboard copy")
        #expect(try edit("1put +") == "first line\neins 東京\nzwei\nsecond line\n")
    }

    @Test(
        "Neovim puts nothing if the pasteboard has no text",
        .enabled(if: hasNeovim, "needs neovim"),
        arguments: ["true", "pasteboard clear", "printf '\\211PNG\\r\\n\\032\\n' | pasteboard copy -t image/png"]
    )
    func neovimWithoutText(before: String) throws {
        try directory.write(try #require(page.blocks("lua").first), to: "init.lua")
        try directory.write("first line\nsecond line\n", to: "file")
        defer { _ = try? shell("pasteboard stop") }
        _ = try shell(before)
        #expect(try edit("normal \"+p") == "first line\nsecond line\n")
    }

    @Test("tmux copies to a pasteboard and pastes its text", .enabled(if: hasTmux, "needs tmux"))
    func tmux() throws {
        try directory.write(try #require(page.blocks("tmux").first) + Self.tmuxSettings, to: "tmux.conf")
        defer { _ = try? shell("tmux kill-server; pasteboard stop") }
        let terminal = try TerminalProgram(
            columns: 80,
            rows: 24,
            "pasteboard",
            script: "exec tmux -f '\(directory["tmux.conf"])' new-session cat",
            environment: environment
        )
        try terminal.type("a line for tmux\r")
        try poll("tmux capture-pane -p", until: "a line for tmux\na line for tmux\n")

        // Select the last line of `cat` from its first to its last character.
        try terminal.type("\u{2}[")
        try poll("tmux display-message -p '#{pane_in_mode}'", until: "1\n")
        try terminal.type("k0 $\r")
        try poll("pasteboard paste", until: "a line for tmux")

        // A buffer of tmux's own must never be pasted instead.
        _ = try shell("pasteboard clear; tmux set-buffer stale")
        try terminal.type("\u{2}]")
        try poll("tmux show-messages", until: "there is no text to paste")
        _ = try shell("printf '\\211PNG\\r\\n\\032\\n' | pasteboard copy -t image/png; tmux clear-history")
        try terminal.type("\u{2}]")
        _ = try shell("printf 'from the pasteboard' | pasteboard copy")
        try terminal.type("\u{2}]")
        try poll("tmux capture-pane -p", until: "from the pasteboard")
        let shown = try shell("tmux capture-pane -p").text
        #expect(!shown.contains("stale") && !shown.contains("PNG"), "\(shown)")
    }

    /// Runs commands of Neovim on a copy of the file, and returns its contents afterwards.
    @discardableResult
    private func edit(_ command: String) throws -> String {
        try shell(
            """
            cp file edited
            nvim --headless -i NONE -u init.lua edited -c '\(command)' -c 'silent write' -c 'quitall!' 2>errors
            cat edited
            """
        ).text
    }

    private func shell(_ script: String) throws -> ProcessRunner.Finished {
        try ProcessRunner("/bin/sh", ["-c", script], environment: environment, directory: directory.path).finish()
    }

    /// Repeats a command until its output contains a text.
    private func poll(_ command: String, until text: String) throws {
        try eventually("\(command) prints \(text)") { try shell(command).text.contains(text) }
    }
}
