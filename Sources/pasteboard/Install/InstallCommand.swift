import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Installs this program, and what belongs to it.
struct InstallCommand: Command {
    static let syntax = CommandSyntax(
        "install",
        "installs this program, manual pages, completions and units",
        options: [
            .prefix, .stage,
            .init("--shims", "also installs the names \(ShimProgram.names.joined(separator: ", "))"),
            .init("--desktop", "also installs the unit that runs 'pasteboard desktop'"),
            .init("--shims-dir", value: "DIR", "the directory in PREFIX for these links; by default bin"),
        ],
        broker: .none,
        examples: """
            pasteboard install --shims
            pasteboard install --destdir "$PWD/root" --prefix /usr    # for a package
            """,
        exit: "0 if everything was written; 4 if a file could not be written",
        files: [("PREFIX/share/pasteboard/manifest", "the list of the files")],
        notes: """
            Copies the running program to PREFIX/bin/pasteboard, with a link pasteboardd, which runs the broker. Writes
            manual pages, completions for bash, zsh and fish, and user units of systemd into PREFIX/share. Creates
            missing directories. Prints the path of each file, and says on standard error what is to be done: for
            example, that PATH lacks PREFIX/bin.

            A running program is not disturbed. A link of --shims never replaces another file, such
            as a real xclip; that file is named, and left as it is. If another file of this program's name is replaced,
            a note says so. What was installed once is kept up to date without --shims and --desktop, too.

            Below PREFIX, a symbolic link is followed only in a directory in which nobody else can write.
            """
    )

    private let prefix: String
    private let staged: String
    /// The directory of the links below the prefix, if they are requested.
    private let shims: String?
    private let hasDesktop: Bool

    init(_ arguments: ParsedArguments) throws {
        let prefix = try arguments.prefix()
        var folder = try arguments.value("--shims-dir")
        if let name = folder, name.hasPrefix("\(prefix)/") { folder = String(name.dropFirst(prefix.count + 1)) }
        let isValid = folder.map { $0 == VisibleText.line($0) && Installation.isInside($0) && $0.first != "/" }
        guard isValid != false else {
            throw CommandFailure(usage: "invalid value '\(folder ?? "")' of --shims-dir; it has to be in \(prefix)")
        }
        self.prefix = prefix
        staged = try arguments.stagedPrefix()
        hasDesktop = arguments.has("--desktop")
        shims = folder ?? (arguments.has("--shims") ? "bin" : nil)
    }

    func run(on loop: Loop) async throws -> CInt {
        var installation = try Installation(below: staged, makesPrefix: true)
        let links = ShimProgram.names.compactMap { name in
            shims.map { "\($0)/\(name)" } ?? installation.path(named: name)
        }
        let program = try System.contents(of: System.restartPath(), limit: .max)
        let outcome = Result {
            try installation.write("bin/pasteboard", program, mode: 0o755)
            try installation.link("bin/pasteboardd", to: "bin/pasteboard")
            for link in links { try installation.link(link, to: "bin/pasteboard", replacesOthers: false) }
            for page in ManualPage.all {
                try installation.write("share/man/man1/\(page.name).1", page.text.utf8)
            }
            try installation.link("share/man/man1/pasteboardd.1", to: "share/man/man1/pasteboard-broker.1")
            for script in CompletionScript.all { try installation.write(script.path, script.text.utf8) }
            for unit in UnitsCommand.names {
                let file = UnitsCommand.file(unit)
                guard unit != "desktop" || hasDesktop || installation.path(named: file) != nil else { continue }
                let text = UnitsCommand.text(of: unit, below: prefix)
                try installation.write("share/systemd/user/\(file)", text.utf8)
            }
        }
        // After a failure, too, so that what was written can be removed.
        try installation.save(isComplete: (try? outcome.get()) != nil)
        try outcome.get()
        for path in installation.written { try StandardStreams.print(path: SystemString(path)) }
        for note in installation.notes + (staged == prefix ? await advice(on: links, program, loop) : []) {
            StandardStreams.remark(note)
        }
        return 0
    }

    /// The steps that are left to the user.
    private func advice(on links: [String], _ program: [UInt8], _ loop: Loop) async -> [String] {
        let bin = "\(prefix)/bin"
        var advice: [String] = []
        let memory = (try? System.contents(of: "/proc/self/maps", limit: 1 << 20)) ?? []
        if String(decoding: memory, as: UTF8.self).contains("libswiftCore.so") {
            advice.append("this program needs the libraries of Swift; the README has the command for a static one")
        }
        if !System.programDirectories().contains(bin) {
            advice.append("PATH lacks \(bin); add to ~/.profile: PATH=\"\(bin):$PATH\"")
        } else {
            for path in ["bin/pasteboard"] + links {
                let name = SystemString(path).lastComponent ?? "pasteboard"
                guard let found = try? ProgramPath.find(name), found != "\(prefix)/\(path)" else { continue }
                advice.append("PATH has another \(name) before this one: \(found)")
            }
        }
        if !links.isEmpty, ["DISPLAY", "WAYLAND_DISPLAY"].allSatisfy({ System.environment($0) == nil }) {
            let line = "on a server, add to ~/.profile: export WAYLAND_DISPLAY=none"
            advice.append("Neovim and pass use these names only if DISPLAY or WAYLAND_DISPLAY is set; \(line)")
        }
        if !["/usr", "/usr/local"].contains(prefix), (try? ProgramPath.find("zsh")) != nil {
            let folder = "\(prefix)/share/zsh/site-functions"
            advice.append("for completions in zsh, add to ~/.zshrc before compinit: fpath=(\"\(folder)\" $fpath)")
        }
        if await hasOtherBroker(than: program, on: loop) {
            advice.append("another version of the broker is running; 'pasteboard broker --replace' starts this one")
        }
        return advice
    }

    /// Whether the running broker is another program. Only root may read the program of a broker; others compare its
    /// version.
    private func hasOtherBroker(than program: [UInt8], on loop: Loop) async -> Bool {
        let deadline = MonotonicClock.deadline(milliseconds: 500)
        let brokers = try? await Brokers.running(on: loop, until: deadline)
        guard let welcome = try? await brokers?.connection(until: deadline)?.welcome else { return false }
        guard welcome.programVersion == ProgramVersion.current else { return true }
        // The broker may also be pasteboardd, which is another program of this version.
        guard let process = welcome.process, let path = try? System.linkTarget("/proc/\(process)/exe"),
            path.description.contains("/pasteboard"), !path.description.contains("/pasteboardd")
        else { return false }
        return (try? System.contents(of: "/proc/\(process)/exe", limit: .max)).map { $0 != program } ?? false
    }
}
