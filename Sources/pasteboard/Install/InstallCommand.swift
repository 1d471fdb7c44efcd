import PasteboardTransport
import PasteboardWire

/// Installs this program, and what belongs to it.
struct InstallCommand: Command {
    static let syntax = CommandSyntax(
        "install",
        "installs this program with its manual pages, completions and units",
        options: [
            .prefix,
            .init("--shims", "also installs links by the names \(ShimProgram.names.joined(separator: ", "))"),
        ],
        broker: .none,
        examples: "pasteboard install --shims",
        files: [("PREFIX/share/pasteboard/manifest", "the list of the files")],
        notes: """
            Copies the running program to PREFIX/bin/pasteboard, with a link pasteboardd, which runs the broker. Writes
            manual pages, completions for bash, zsh and fish, and user units of systemd into PREFIX/share. Prints the
            path of each file, and says on standard error what is to be done: for example, that PATH lacks PREFIX/bin.

            A program that runs is replaced without being disturbed. A link of --shims never replaces another file, such
            as a real xclip; that file is named, and left as it is. If another file of this program's name is replaced,
            a note says so. Links that were installed once are kept up to date without --shims, too.

            'pasteboard uninstall' removes what PREFIX/share/pasteboard/manifest lists.
            """
    )

    private let prefix: String
    private let hasShims: Bool

    init(_ arguments: ParsedArguments) throws {
        prefix = try arguments.prefix()
        hasShims = arguments.has("--shims")
    }

    func run() throws -> CInt {
        var installation = try Installation(below: prefix, makesPrefix: true)
        let shims = ShimProgram.names.filter { hasShims || installation.contains("bin/\($0)") }
        let outcome = Result {
            let program = try System.contents(of: System.restartPath(), limit: .max)
            try installation.write("bin/pasteboard", program, mode: 0o755)
            for name in ["pasteboardd"] + shims {
                try installation.link("bin/\(name)", to: "pasteboard", replacesOthers: name == "pasteboardd")
            }
            for page in ManualPage.all {
                try installation.write("share/man/man1/\(page.name).1", page.text.utf8)
            }
            try installation.link("share/man/man1/pasteboardd.1", to: "pasteboard-broker.1")
            for script in CompletionScript.all { try installation.write(script.path, script.text.utf8) }
            for unit in UnitsCommand.names {
                let text = UnitsCommand.text(of: unit, below: prefix)
                try installation.write("share/systemd/user/pasteboard.\(unit)", text.utf8)
            }
        }
        // After a failure, too, so that what was written can be removed.
        try installation.save(isComplete: (try? outcome.get()) != nil)
        try outcome.get()
        for path in installation.written { try StandardStreams.print(path: SystemString(path)) }
        for note in installation.notes + advice(on: shims) { StandardStreams.remark(note) }
        return 0
    }

    /// The steps that are left to the user.
    private func advice(on shims: [String]) -> [String] {
        let bin = "\(prefix)/bin"
        var advice: [String] = []
        let memory = (try? System.contents(of: "/proc/self/maps", limit: 1 << 20)) ?? []
        if String(decoding: memory, as: UTF8.self).contains("libswiftCore.so") {
            advice.append("this program needs the libraries of Swift; the README has the command for a static one")
        }
        if !System.programDirectories().contains(bin) {
            advice.append("PATH lacks \(bin); add to ~/.profile: PATH=\"\(bin):$PATH\"")
        } else {
            for name in ["pasteboard"] + shims {
                guard let found = try? ProgramPath.find(SystemString(name)), found != "\(bin)/\(name)" else { continue }
                advice.append("PATH has another \(name) before this one: \(found)")
            }
        }
        if !["/usr", "/usr/local"].contains(prefix), (try? ProgramPath.find("zsh")) != nil {
            let folder = "\(prefix)/share/zsh/site-functions"
            advice.append("for completions in zsh, add to ~/.zshrc before compinit: fpath=(\"\(folder)\" $fpath)")
        }
        if (try? Broker.running(until: MonotonicClock.deadline(milliseconds: 500))) != nil {
            advice.append("a broker is running; 'pasteboard broker --replace' starts this version in its place")
        }
        return advice
    }
}
