import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The commands that install the program, and print the parts for packages.
@Suite(.processes) struct CommandLineInstallTests {
    nonisolated private static let files = [
        "bin/pasteboard", "bin/pasteboardd", "share/man/man1/pasteboard.1", "share/man/man1/pasteboard-copy.1",
        "share/man/man1/pasteboardd.1", "share/bash-completion/completions/pasteboard",
        "share/zsh/site-functions/_pasteboard", "share/fish/vendor_completions.d/pasteboard.fish",
        "share/systemd/user/pasteboard.socket", "share/systemd/user/pasteboard.service",
    ]

    /// Starts a broker that takes the place of another one. Its first byte says that it serves.
    private static func replacing(_ program: String) -> String {
        "mkfifo ready; \(program) --replace --ready-fd 3 3>ready >log 2>&1 & head -c 1 ready; rm ready"
    }

    @Test("The program is installed, runs from there as both programs, and is removed without a trace")
    func life() throws {
        let desk = try Desk()
        let before = desk.directory.names()
        let installed = try desk.run("install")
        #expect(installed.exitCode == 0)
        let paths = installed.text.split(separator: "\n").map(String.init)
        for path in Self.files { #expect(paths.contains(desk.directory[".local/\(path)"])) }
        for path in paths { #expect(try System.status(at: path) != nil) }
        #expect(installed.errorText.contains("PATH lacks \(desk.directory[".local/bin"]); add to ~/.profile: "))
        #expect(try System.status(at: desk.directory[".local/bin/pasteboard"])?.mode == 0o755)

        desk.environment["PATH"] = "\(desk.directory[".local/bin"]):\(desk.environment["PATH"] ?? "")"
        func run(_ script: String) throws -> ProcessRunner.Finished {
            try ProcessRunner(
                "/bin/sh",
                ["-c", script],
                environment: desk.environment,
                directory: desk.directory.path
            ).finish()
        }
        #expect(try !run("pasteboard install").errorText.contains("PATH lacks"))
        #expect(try run("pasteboardd --version").text == "pasteboardd \(ProgramVersion.current)\n")
        #expect(try run("pasteboard manual").text == run("cat .local/share/man/man1/pasteboard.1").text)
        #expect(try run("echo kept | pasteboard copy").exitCode == 0)
        // The broker was started by its own name. Each of the names can take over from the other.
        for program in ["pasteboard broker", "pasteboardd", "pasteboard broker"] {
            #expect(try run(Self.replacing(program)).text == "r")
            #expect(try run("pasteboard paste").text == "kept\n")
        }
        #expect(try !run("pasteboard install").errorText.contains("broker"))
        // Another program, whose version is the same. Only root may read it.
        if geteuid() == 0 {
            #expect(
                try run(
                    "{ cat .local/bin/pasteboard; echo; } > pasteboard2; chmod +x pasteboard2; \(Self.replacing("./pasteboard2 broker"))"
                ).text == "r"
            )
            #expect(
                try run("rm pasteboard2; pasteboard install").errorText.contains(
                    "another version of the broker is running"
                )
            )
        }
        #expect(try run("rm log; pasteboard stop").exitCode == 0)

        let removed = try run("pasteboard uninstall")
        #expect(removed.exitCode == 0 && removed.errors.isEmpty)
        #expect(Set(removed.text.split(separator: "\n").map(String.init)) == Set(paths))
        #expect(desk.directory.names() == before)
    }

    @Test("Links by other names replace no program of another owner, and are kept by the next installation")
    func shims() throws {
        let desk = try Desk()
        let prefix = desk.directory["p"]
        _ = try desk.directory.makeDirectory("p")
        _ = try desk.directory.makeDirectory("p/bin")
        try desk.directory.write("#!/bin/sh\n", to: "p/bin/xclip")
        let installed = try desk.run("install", "--prefix", "\(prefix)/", "--shims")
        #expect(installed.exitCode == 0)
        #expect(installed.errorText.contains("left \(prefix)/bin/xclip, which is another program"))
        let names = ["pbcopy", "pbpaste", "wl-copy", "wl-paste", "xsel"]
        for name in names { #expect(try System.linkTarget("\(prefix)/bin/\(name)") == "pasteboard") }
        #expect(try desk.directory.contents(of: "p/bin/xclip") == Array("#!/bin/sh\n".utf8))

        try System.unlink("\(prefix)/bin/xsel")
        try desk.directory.write("mine", to: "p/bin/xsel")
        let again = try desk.run("install", "--prefix", prefix)
        #expect(again.text.contains("\(prefix)/bin/pbcopy\n"))
        #expect(again.errorText.contains("left \(prefix)/bin/xsel"))
        #expect(try desk.run("uninstall", "--prefix", prefix).exitCode == 0)
        #expect(desk.directory.names(in: "p/bin") == ["xclip", "xsel"] && desk.directory.names(in: "p") == ["bin"])
    }

    @Test("A package has its files in another root, names the prefix, and has the links where it wants them")
    func package() throws {
        let desk = try Desk()
        let root = desk.directory["deep/root"]
        let options = "--destdir \(root) --prefix /usr"
        let printed = try desk.succeed("pasteboard install \(options) --shims-dir lib/pasteboard/names")
        #expect(printed.contains("\(root)/usr/share/man/man1/pasteboard-copy.1\n"))
        let unit = try desk.succeed("cat deep/root/usr/share/systemd/user/pasteboard.service")
        #expect(unit.contains("ExecStart=\"/usr/bin/pasteboard\" broker\n"))
        #expect(try System.linkTarget("\(root)/usr/lib/pasteboard/names/xclip") == "../../../bin/pasteboard")
        #expect(try desk.succeed("deep/root/usr/lib/pasteboard/names/xclip -version").hasPrefix("xclip of pasteboard"))
        #expect(!desk.directory.names(in: "deep/root/usr/bin").contains("xclip"))
        // They are kept up to date where they are.
        #expect(try desk.succeed("pasteboard install \(options)").contains("lib/pasteboard/names/xclip\n"))
        try desk.succeed(
            "pasteboard manual --all pages/man1; diff -r pages/man1 deep/root/usr/share/man/man1 -x pasteboardd.1"
        )
        try desk.succeed("pasteboard uninstall \(options)")
        #expect(desk.directory.names(in: "deep/root") == [])
    }

    @Test("The names are of no use to some programs without a display, and a note says so")
    func displays() throws {
        let desk = try Desk()
        let note = "Neovim and pass use these names only if DISPLAY or WAYLAND_DISPLAY is set"
        #expect(try !desk.run("install").errorText.contains(note))
        #expect(try desk.run("install", "--shims").errorText.contains(note))
        desk.environment["WAYLAND_DISPLAY"] = "none"
        #expect(try !desk.run("install", "--shims").errorText.contains(note))
    }

    @Test("A program that takes the place of a link is not replaced, whatever a look at it has shown")
    func appearing() throws {
        let desk = try Desk()
        try desk.succeed("mkdir -p p/bin p/share/pasteboard; echo other > p/bin/xclip")
        // As if the program had appeared after the look: the manifest has its stamp.
        let status = try #require(try System.status(at: desk.directory["p/bin/xclip"]))
        try desk.directory.write("\(status.size).\(status.modifiedAt) bin/xclip\n", to: "p/share/pasteboard/manifest")
        let installed = try desk.run("install", "--prefix", desk.directory["p"])
        #expect(installed.errorText.contains("left \(desk.directory["p/bin/xclip"]), which is another program"))
        #expect(try desk.directory.contents(of: "p/bin/xclip") == Array("other\n".utf8))
    }

    @Test("A link to a directory leads install and uninstall out of the prefix only where nobody else can write")
    func links() throws {
        let desk = try Desk()
        let prefix = desk.directory["p"]
        try desk.succeed("mkdir -p p/share/pasteboard other; echo x > other/precious; ln -s ../other p/evil")
        let status = try #require(try System.status(at: desk.directory["other/precious"]))
        let line = "\(status.size).\(status.modifiedAt) evil/precious\n"
        for mode: UInt32 in [0o775, 0o777] {
            try System.setMode(mode, of: SystemString(prefix))
            try desk.directory.write(line, to: "p/share/pasteboard/manifest")
            let left = try desk.run("uninstall", "--prefix", prefix)
            #expect(left.output.isEmpty && left.errorText.contains("left \(prefix)/evil/precious: \(prefix)/evil is a"))
            #expect(desk.directory.names(in: "other") == ["precious"])
            try desk.succeed("mkdir -p p/share/pasteboard; ln -sfn ../other p/bin")
            let refused = try desk.run("install", "--prefix", prefix)
            #expect(
                refused.exitCode == 4 && refused.errorText.contains("\(prefix)/bin is a symbolic link where others")
            )
            #expect(desk.directory.names(in: "other") == ["precious"])
        }
        try System.setMode(0o755, of: SystemString(prefix))
        try desk.directory.write(line, to: "p/share/pasteboard/manifest")
        #expect(try desk.run("install", "--prefix", prefix).exitCode == 0)
        #expect(desk.directory.names(in: "other") == ["pasteboard", "pasteboardd"])
        #expect(try desk.run("uninstall", "--prefix", prefix).errors.isEmpty)
        #expect(desk.directory.names(in: "other").isEmpty)
    }

    @Test("After an installation that was killed, the next one takes over its links")
    func killed() throws {
        let desk = try Desk()
        let prefix = desk.directory["p"]
        #expect(try desk.run("install", "--prefix", prefix, "--shims").exitCode == 0)
        try System.unlink("\(prefix)/share/pasteboard/manifest")
        let repeated = try desk.run("install", "--prefix", prefix, "--shims")
        #expect(repeated.text.contains("\(prefix)/bin/pbcopy\n") && !repeated.errorText.contains("another program"))
        #expect(try desk.run("uninstall", "--prefix", prefix).exitCode == 0)
        #expect(desk.directory.names(in: "p/bin").isEmpty)
    }

    @Test("While one installation changes the prefix, another is refused, so that all files can be removed")
    func simultaneous() throws {
        let desk = try Desk()
        let prefix = try desk.directory.makeDirectory("p")
        #expect(try desk.run("install", "--prefix", prefix).exitCode == 0)
        let directory = DescriptorBox(try System.open(prefix, [.directory]))
        try #require(try System.lock(directory.raw))
        for command in ["install", "uninstall"] {
            let refused = try desk.run(command, "--prefix", prefix)
            #expect(refused.exitCode == 4 && refused.errorText.contains("is changing \(prefix); repeat this"))
        }
        #expect(flock(directory.raw, LOCK_UN) == 0)
        let both = try (0..<2).map { _ in try desk.start("install", "--prefix", prefix) }
        let codes = try both.map { try $0.finish().exitCode }
        #expect(codes.contains(0) && codes.allSatisfy { [0, 4].contains($0) })
        #expect(try desk.run("uninstall", "--prefix", prefix).errors.isEmpty)
        #expect(desk.directory.names(in: "p").isEmpty)
    }

    @Test("A replaced file is reported, and a file that was changed since is not removed")
    func foreignFiles() throws {
        let desk = try Desk()
        let prefix = desk.directory["p"]
        _ = try desk.directory.makeDirectory("p")
        _ = try desk.directory.makeDirectory("p/bin")
        try desk.directory.write("earlier", to: "p/bin/pasteboard")
        let installed = try desk.run("install", "--prefix", prefix)
        #expect(installed.errorText.contains("replaced \(prefix)/bin/pasteboard, which 'pasteboard install' had not"))
        #expect(try !desk.run("install", "--prefix", prefix).errorText.contains("replaced"))
        try desk.directory.write("[Unit]\n# changed by a user\n", to: "p/share/systemd/user/pasteboard.service")
        let removed = try desk.run("uninstall", "--prefix", prefix)
        #expect(removed.exitCode == 0)
        #expect(removed.errorText.contains("left \(prefix)/share/systemd/user/pasteboard.service, which was changed"))
        #expect(desk.directory.names(in: "p/share") == ["systemd"])
        // Its directory was not made by the installation.
        #expect(desk.directory.names(in: "p/bin").isEmpty)
        let nothing = try desk.run("uninstall", "--prefix", prefix)
        #expect(nothing.exitCode == 4 && nothing.errorText.contains("nothing is installed below \(prefix)"))
    }

    @Test("What was written before a failure can be removed, and a manifest cannot name files elsewhere")
    func failure() throws {
        let desk = try Desk()
        let prefix = desk.directory["p"]
        _ = try desk.directory.makeDirectory("p")
        _ = try desk.directory.makeDirectory("p/share")
        try desk.directory.write("a file", to: "p/share/systemd")
        let failed = try desk.run("install", "--prefix", prefix)
        #expect(failed.exitCode == 4 && failed.errorText.contains("\(prefix)/share/systemd/user"))
        #expect(try desk.run("uninstall", "--prefix", prefix).text.hasPrefix("\(prefix)/bin/pasteboard\n"))
        #expect(desk.directory.names(in: "p") == ["share"] && desk.directory.names(in: "p/share") == ["systemd"])
        let other = desk.directory["o"]
        desk.environment["PASTEBOARD_TEST_FAILING_CALLS"] = "create a file:1:1:\(EACCES)"
        let denied = try desk.run("install", "--prefix", other)
        #expect(denied.errorText.contains("cannot create a file in \(other)/bin: Permission denied"))
        desk.environment["PASTEBOARD_TEST_FAILING_CALLS"] = nil
        try desk.succeed("mkdir -p o/bin/pasteboardd")
        let occupied = try desk.run("install", "--prefix", other)
        #expect(occupied.exitCode == 4 && occupied.errorText.contains("cannot replace \(other)/bin/pasteboardd"))

        _ = try desk.directory.makeDirectory("p/share/pasteboard")
        let file = try desk.directory.write("x", to: "file")
        let status = try #require(try System.status(at: file))
        try desk.directory.write("\(status.size).\(status.modifiedAt) ../file\n", to: "p/share/pasteboard/manifest")
        let refused = try desk.run("uninstall", "--prefix", prefix)
        #expect(refused.exitCode == 4 && refused.errorText.contains("invalid line"))
        #expect(try System.status(at: file) != nil)

        // Opening a pipe would wait for its writer.
        try System.unlink("\(prefix)/share/pasteboard/manifest")
        try #require(mkfifo("\(prefix)/share/pasteboard/manifest", 0o600) == 0)
        for command in ["install", "uninstall"] {
            let refused = try desk.run(command, "--prefix", prefix)
            #expect(refused.exitCode == 4 && refused.errorText.contains("share/pasteboard/manifest, because it is not"))
        }
    }

    @Test("Root installs nothing into the home directory of another user", .enabled(if: geteuid() == 0, "needs root"))
    func foreignHome() throws {
        let desk = try Desk()
        let home = try desk.directory.makeDirectory("home")
        #expect(chown(home, 1234, 1234) == 0)
        desk.environment["HOME"] = home
        let refused = try desk.run("install")
        #expect(refused.exitCode == 2 && refused.errorText.contains("HOME belongs to user 1234, not to user 0"))
        #expect(desk.directory.names(in: "home").isEmpty)
    }

    @Test("Without a home directory, the prefix has to be written", arguments: [nil, "", "home"] as [String?])
    func noHome(home: String?) throws {
        let desk = try Desk()
        desk.environment["HOME"] = home
        for command in ["install", "uninstall"] {
            let refused = try desk.run(command)
            #expect(refused.exitCode == 2 && refused.errorText.contains("HOME is not set to an absolute path"))
        }
    }

    @Test(
        "Each command has a manual page, without a warning of mandoc",
        .enabled(if: InstalledPrograms.contains("mandoc"), "needs mandoc")
    )
    func manual() throws {
        let desk = try Desk()
        #expect(try desk.run("install", "--prefix", desk.directory.path).exitCode == 0)
        let height = "test $(mandoc -Tascii -Owidth=80 $page | wc -l) -le 80 || echo $page is long"
        let pages1 = "for page in pasteboard-*.1; do \(height); done"
        let lint = try desk.shell(
            "cd share/man/man1; mandoc -Tlint *.1; \(pages1); for page in *.1; do echo $page; done"
        )
        let pages = lint.text.split(separator: "\n")
        #expect(lint.exitCode == 0 && pages.allSatisfy { $0.hasSuffix(".1") }, "\(lint.text)")
        #expect(pages.contains("pasteboard-copy.1") && pages.contains("pasteboardd.1"))
    }

    @Test("A manual page has all that help has, and the page of the program has the environment and the exit codes")
    func manualContents() throws {
        let desk = try Desk()
        let watch = try desk.run("manual", "watch").text
        for text in [
            ".Nm pasteboard-watch\n", "\n[\\-\\- COMMAND [ARGUMENT \\&...]]\n", "\n.It Fl b , Fl \\-board Ar NAME\n",
            "\nPASTEBOARD_FLAGS ", "\n.Xr pasteboard 1\n", "\n.Sh ENVIRONMENT\n", "\n.Sh FILES\n",
            "\n.Sh EXIT STATUS\n",
            "\n.Sh EXAMPLES\n.Bd -literal -compact\npasteboard watch \\-\\-all\n",
        ] {
            #expect(watch.contains(text), "\(watch)")
        }
        let program = try desk.run("manual").text
        for text in [
            "\n.Ss Other machines\n", "\n.Sh FILES\n", "\n.It Xr pasteboard-offer 1\n",
            "\n.It Ev PASTEBOARD_AUTOSTART\n", "\n.Sh EXIT STATUS\n", "\n.It 141\n",
        ] {
            #expect(program.contains(text), "\(program)")
        }
    }

    @Test("The units are those of the documentation")
    func documentedUnits() throws {
        let desk = try Desk()
        let page = try Document("Sources/PasteboardKit/PasteboardKit.docc/CommandReference.md")
        let units = page.blocks("ini")
        #expect(units.count == 2)
        #expect(try desk.run("units", "socket").text == units[0])
        #expect(try desk.run("units", "service").text == units[1])
        #expect(try desk.run("units").text == units.joined(separator: "\n"))
        let other = try desk.run("units", "--prefix", "/opt/100% sure", "service").text
        #expect(other.contains("\nExecStart=\"/opt/100%% sure/bin/pasteboard\" broker\n"))
        #expect(try desk.run("units", "--prefix", "/opt\nExecStartPre=/bin/true", "service").exitCode == 2)
    }

    @Test(
        "systemd accepts the units",
        .enabled(if: InstalledPrograms.contains("systemd-analyze"), "needs systemd")
    )
    func units() throws {
        let desk = try Desk()
        #expect(try desk.run("install", "--prefix", desk.directory.path).exitCode == 0)
        let verified = try desk.shell("systemd-analyze verify --user share/systemd/user/pasteboard.*")
        let text = verified.errorText
        // It needs a manager to speak to in some containers.
        guard !text.contains("Failed to initialize manager") else { return }
        #expect(verified.exitCode == 0 && !text.contains("pasteboard"), "\(text)")
    }
}
