import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// The completions in the shells for which there are scripts.
@Suite(.processes) struct ShellCompletionTests {
    /// A desk with an installed program in its path, a pasteboard to be found, and a file.
    private func desk() throws -> Desk {
        let desk = try Desk()
        #expect(try desk.run("install").exitCode == 0)
        desk.environment["PATH"] = "\(desk.directory[".local/bin"]):\(desk.environment["PATH"] ?? "")"
        desk.environment["TERM"] = "dumb"
        try desk.copy("from notes", "-b", "notes of today")
        try desk.directory.write("a file", to: "file.txt")
        return desk
    }

    /// Types lines into an interactive shell, and waits for its end. Every second part of a line is what a Tab inserts.
    private func type(_ lines: [[String]], into shell: [String], _ desk: Desk) throws {
        let prompt = "next> "
        desk.environment["PS1"] = prompt
        let terminal = try PseudoTerminal(processesOutput: true)
        terminal.resize(columns: 200, rows: 50)
        let runner = try ProcessRunner(
            "/usr/bin/env",
            shell,
            environment: desk.environment,
            directory: desk.directory.path,
            input: terminal.other,
            standardOutput: terminal.other,
            standardError: terminal.other
        )
        func type(_ text: String, until awaited: String) throws {
            var shown = ""
            try terminal.type(text)
            try eventually("the shell shows “\(awaited)” after “\(text)”") {
                shown += try terminal.shown()
                if text == "\t", shown.contains("\u{7}") {
                    // The bell: the broker did not answer in the short time that it has. A user presses Tab again.
                    shown = ""
                    try terminal.type(text)
                }
                return shown.contains(awaited)
            }
        }
        try type("", until: prompt)
        for line in lines {
            for (index, part) in line.enumerated() {
                try type(index.isMultiple(of: 2) ? part : "\t", until: part)
            }
            try type("\n", until: prompt)
        }
        try terminal.type("exit\n")
        _ = try runner.finish()
    }

    nonisolated private static let shells = [
        (
            ["bash", "--norc", "--noprofile", "-i"], "source .local/share/bash-completion/completions/pasteboard"
        ),
        (["bash", "--norc", "--noprofile", "-i"], "source <(pasteboard completions bash)"),
        (
            ["zsh", "-f", "-i"],
            "fpath=(~/.local/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -u"
        ),
        (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -D -u; source <(pasteboard completions zsh)"),
    ].filter { InstalledPrograms.contains($0.0[0]) }

    @Test(
        "bash and zsh complete commands, options, pasteboards, types and files where a user presses Tab",
        .enabled(if: shells.count == 4, "needs bash and zsh"),
        arguments: shells
    )
    func tab(shell: [String], setup: String) throws {
        let desk = try desk()
        let notes = "tes\\ of\\ today"
        let lines = [
            [setup], ["pasteboard pas", "te", "-b no", notes, " > board"],
            ["pasteboard paste --boa", "rd", "no", notes, " > option"],
            ["pasteboard paste --board=no", notes, " > attached"],
            ["pasteboard paste -b no", notes, "-t public.u", "tf8-plain-text", " > type"],
            ["pasteboard copy fi", "le.txt", "; pasteboard paste > pasted"],
            ["pasteboard copy -t text=fi", "le.txt", " && pasteboard types > types"],
            ["pasteboard broker --limit idle", "-exit=", "5 --help > help"],
        ]
        try type(lines, into: shell, desk)
        for name in ["board", "option", "attached", "type"] {
            #expect(try String(decoding: desk.directory.contents(of: name), as: UTF8.self) == "from notes", "\(name)")
        }
        #expect(try desk.directory.contents(of: "pasted") == Array("a file".utf8))
        let types = String(decoding: try desk.directory.contents(of: "types"), as: UTF8.self)
        #expect(types.hasPrefix("public.utf8-plain-text  6  kept"))
        #expect(try !desk.directory.contents(of: "help").isEmpty)
    }

    @Test(
        "fish completes the same",
        .enabled(if: InstalledPrograms.contains("fish"), "needs fish"),
        arguments: [
            ("pasteboard sto", ["stop"]), ("pasteboard paste --boa", ["--board"]),
            ("pasteboard paste -b no", ["notes of today"]), ("pasteboard paste --board=no", ["--board=notes of today"]),
            ("pasteboard paste -b \"notes of today\" -t public.", ["public.utf8-plain-text"]),
            ("pasteboard copy fi", ["file.txt"]), ("pasteboard copy -t text=fi", ["text=file.txt"]),
            ("pasteboard paste --into r", ["run/"]), ("pasteboard broker --limit idle", ["idle-exit="]),
        ]
    )
    func fish(line: String, words: [String]) throws {
        let desk = try desk()
        desk.environment["LINE"] = line
        let script = "source .local/share/fish/vendor_completions.d/pasteboard.fish; complete -C $LINE"
        var completed: [String] = []
        // The broker may not answer in the short time that it has. A user presses Tab again.
        try eventually("fish completes the line") {
            let lines = try desk.shell("fish --no-config -c '\(script)'").text.split(separator: "\n")
            completed = lines.map { String($0.prefix { $0 != "\t" }) }
            return !completed.isEmpty
        }
        #expect(completed == words)
    }
}
