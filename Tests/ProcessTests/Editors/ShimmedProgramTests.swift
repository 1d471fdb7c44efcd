import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// Programs of Debian that look for a clipboard program, without any configuration.
@Suite("Programs that look for a clipboard", .processes)
struct ShimmedProgramTests {
    nonisolated private static let neovimPath = path(of: "nvim")
    nonisolated private static let vimPath = path(of: "vim")
    nonisolated private static let hasTmux = path(of: "tmux") != nil
    nonisolated private static let hasPass = path(of: "pass") != nil && path(of: "pkill") != nil

    private let directory: TemporaryDirectory
    private let program: String
    private let links: String
    private let environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        program = try ProcessRunner.program("pasteboard")
        links = try directory.makeDirectory("links")
        environment = [
            "HOME": directory.path, "PATH": "\(links):\(System.environment("PATH") ?? "/usr/bin:/bin")",
            "LC_ALL": "C.UTF-8", "TERM": "xterm", "SHELL": "/bin/sh", "PASTEBOARD_SOCKET": directory["d/socket"],
            "XDG_STATE_HOME": try directory.makeDirectory("s"), "TMUX_TMPDIR": try directory.makeDirectory("t"),
            "PASSWORD_STORE_DIR": try directory.makeDirectory("store"), "PASSWORD_STORE_CLIP_TIME": "600",
        ]
    }

    private func link(_ names: [String]) throws {
        for name in names { try #require(symlink(program, "\(links)/\(name)") == 0) }
    }

    private func shell(_ script: String) throws -> String {
        let finished = try ProcessRunner(
            "/bin/sh",
            ["-c", "pasteboard() { '\(program)' \"$@\"; }; \(script)"],
            environment: environment,
            directory: directory.path
        ).finish()
        #expect(finished.exitCode == 0, "\(script): \(finished.errorText)")
        return finished.text
    }

    /// Repeats a command until it prints a text.
    private func poll(_ command: String, until text: String) throws {
        try eventually("\(command) prints \(text)") { try shell("\(command) || true").contains(text) }
    }

    @Test(
        "Neovim finds each clipboard program, and yanks and puts with it",
        .enabled(if: neovimPath != nil, "needs neovim"),
        arguments: [
            (["wl-copy", "wl-paste"], "WAYLAND_DISPLAY=x"), (["xclip"], "DISPLAY=:99"), (["xsel"], "DISPLAY=:99"),
        ]
    )
    func neovim(names: [String], display: String) throws {
        let neovim = try #require(Self.neovimPath)
        try link(names)
        defer { _ = try? shell("pasteboard stop") }
        try directory.write("first line\nsecond line\n", to: "file")
        let run = "env PATH='\(links)' \(display) '\(neovim)' --headless -i NONE -u NONE file"
        // Neovim ends only after the program that it has started in the background has read the text.
        let general = "call system(['\(program)', 'paste', '--wait'])"
        let primary = "call system(['\(program)', 'paste', '--primary', '--wait'])"
        _ = try shell(
            """
            \(run) -c 'normal "+yy' -c "\(general)" -c 'normal jw"*yiw' -c "\(primary)" -c 'quitall!' 2>/dev/null
            """
        )
        #expect(try shell("pasteboard paste; pasteboard paste -p") == "first line\nline")
        _ = try shell("printf 'eins 東京\\n' | pasteboard copy; printf zwei | pasteboard copy -p")
        _ = try shell("\(run) -c 'normal \"+p' -c 'normal \"*P' -c 'silent write' -c 'quitall!' 2>/dev/null")
        #expect(try shell("cat file") == "first line\nzweieins 東京\nsecond line\n")
    }

    @Test("Vim writes lines to xclip and reads them from it", .enabled(if: vimPath != nil, "needs vim"))
    func vim() throws {
        try link(["xclip"])
        defer { _ = try? shell("pasteboard stop") }
        try directory.write("one\ntwo\n", to: "file")
        let commands = "-c '1write !xclip -selection clipboard' -c '$read !xclip -o -selection clipboard'"
        let vim = try #require(Self.vimPath)
        // While a command runs, Vim reads keys for it, and ends at their end. A pipe that is open for writing has none.
        _ = try shell(
            "mkfifo keys; '\(vim)' -es -u NONE -i NONE file \(commands) -c 'silent write' -c 'quitall!' <>keys"
        )
        #expect(try shell("cat file; pasteboard paste") == "one\ntwo\none\none\n")
    }

    @Test(
        "tmux copies with the program that its option copy-command names",
        .enabled(if: hasTmux, "needs tmux"),
        arguments: ["wl-copy", "xclip -in -selection clipboard", "xsel -ib", "pbcopy"]
    )
    func tmux(command: String) throws {
        try link([String(command.prefix { $0 != " " })])
        defer { _ = try? shell("tmux kill-server; pasteboard stop") }
        try directory.write("set -s copy-command '\(command)'\nset -g mode-keys vi\n", to: "tmux.conf")
        _ = try shell("tmux -f tmux.conf new-session -d -x 80 -y 24 'echo a line for tmux; exec cat'")
        try poll("tmux capture-pane -p", until: "a line for tmux\n")
        let keys = ["cursor-up", "start-of-line", "begin-selection", "end-of-line", "copy-pipe-and-cancel"]
        _ = try shell("tmux copy-mode; " + keys.map { "tmux send-keys -X \($0)" }.joined(separator: "; "))
        try poll("pasteboard paste -q", until: "a line for tmux")
    }

    @Test(
        "pass copies a password, and restores what was there",
        .enabled(if: hasPass, "needs pass and pkill"),
        arguments: [(["wl-copy", "wl-paste"], "WAYLAND_DISPLAY"), (["xclip"], "DISPLAY")]
    )
    func pass(names: [String], display: String) throws {
        try link(names)
        defer { _ = try? shell("pasteboard stop") }
        // Shows the file that is its last argument: no key has to be made.
        try directory.write("#!/bin/sh\nfor last; do :; done\ncat \"$last\"\n", to: "links/gpg")
        try directory.write("hunter2\nuser: me\n", to: "store/mail.gpg")
        _ = try shell("chmod +x links/gpg; ln -s gpg links/gpg2; echo before | pasteboard copy")
        // The name of the display is part of the name of the process that restores the contents later.
        let copied = try shell("\(display)='\(directory.path)' pass -c mail")
        #expect(copied.hasPrefix("Copied mail to clipboard."))
        #expect(try shell("pasteboard paste") == "hunter2")
        try poll("pkill -f '^password store sleep on display \(directory.path)' && echo ended", until: "ended")
        try poll("pasteboard paste -q", until: "before\n")
    }

    nonisolated private static func path(of program: String) -> String? {
        let directories = (System.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        return directories.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
