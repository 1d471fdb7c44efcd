import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The command `link`, to a machine that a shell command reaches, and to one behind a real ssh server.
@Suite(.processes) struct LinkProcessTests {
    /// Copies and pastes in both directions: every size, a folder, a file with its mode and time, and a promise.
    private func crossing(_ machine: some FarMachine) throws {
        let link = try machine.link("--as", "desk")
        let near = machine.near
        for count in [0, 60_000, 3_000_000] {
            try near.directory.write(Desk.bytes(count), to: "a")
            let sum = try near.succeed("cksum < a")
            try near.succeed("pasteboard copy a")
            try machine.eventuallyFar(sum, "pasteboard paste -o b && cksum < b")
            _ = try machine.far("printf x >> b; pasteboard copy -t data < b")
            let longer = try near.succeed("printf x >> a; cksum < a")
            try machine.eventuallyNear(longer, "pasteboard paste -t data | cksum")
        }
        _ = try near.directory.makeDirectory("folder")
        try near.directory.write(Desk.bytes(100_000), to: "folder/b")
        let listed = "find folder -printf '%p %m %T@ %s\\n' | grep -v '^folder [0-9]* [0-9.]* [0-9]*$'; cksum folder/b"
        try near.succeed("chmod 640 folder/b; touch -d @1000000000 folder/b; pasteboard copy folder")
        let before = try near.succeed(listed)
        try machine.eventuallyFar(before, "rm -rf folder; pasteboard paste --into . > /dev/null && \(listed)")
        try near.succeed("pasteboard copy --once -e once")
        try machine.eventuallyFar("public.utf8-plain-text\n", "pasteboard types | cut -d' ' -f1")
        #expect(try machine.far("pasteboard paste") == "once")
        try machine.eventuallyNear("", "pasteboard list")
        // The command of an offer runs where it was offered, when it is pasted.
        let offer = try near.offer(["-t", "text=touch asked; echo here"])
        try machine.eventuallyFar("public.utf8-plain-text\n", "pasteboard types | cut -d' ' -f1")
        #expect(try System.status(at: near.directory["asked"]) == nil)
        #expect(try machine.far("pasteboard paste") == "here\n")
        #expect(try System.status(at: near.directory["asked"]) != nil)
        _ = try machine.far("pasteboard copy -e newer")
        #expect(try offer.finish().errorText.hasSuffix("the offer was replaced by other contents\n"))
        try machine.eventuallyNear("newer", "pasteboard paste")
        #expect(try near.succeed("pasteboard links").hasPrefix("link to far "))
        #expect(try machine.far("pasteboard links").hasPrefix("link to desk "))
        try link.child.kill(SIGTERM)
        #expect(try link.finish().exitCode == 143)
        try machine.eventuallyNear("[]\n", "pasteboard links --json")
        try machine.eventuallyFar("[]\n", "pasteboard links --json")
    }

    @Test("Bytes, files, folders and promises cross in both directions")
    func command() throws {
        try crossing(try CommandMachine())
    }

    @Test(
        "Bytes, files, folders and promises cross between two users over ssh",
        .enabled(if: System.userID == 0, "needs root, which alone can run a server for another user"),
        .enabled(if: InstalledPrograms.contains("sshd"), "needs sshd")
    )
    func server() throws {
        try crossing(try ServerMachine())
    }

    /// A waiting load of the other machine for a command that runs here, after the link was lost as `lose` does it.
    private func expectRecovery(
        of machine: CommandMachine,
        after lose: (ProcessRunner) throws -> Void
    ) throws {
        let link = try machine.link("--silence", "900ms", "--board", "general", "--board", "waiting")
        try machine.near.copy("mine")
        let offer = try machine.near.offer(["-t", "text=touch asked; sleep 600"], board: "waiting")
        try machine.eventuallyFar("mine", "pasteboard paste")
        try machine.eventuallyFar("public.utf8-plain-text\n", "pasteboard types -b waiting | cut -d' ' -f1")
        let paste = try machine.desk.start("paste", "-b", "waiting")
        try machine.near.waitForFile("asked", in: ".")
        try lose(link)
        let failed = try paste.finish()
        #expect(failed.exitCode == 3 && failed.text == "", "\(failed.errorText)")
        try link.waitForErrors(containing: "connected again")
        try machine.eventuallyFar("mine", "pasteboard paste")
        try machine.desk.copy("yours")
        try machine.eventuallyNear("yours", "pasteboard paste")
        try link.child.kill(SIGINT)
        #expect(try link.finish().exitCode == 130)
        try ProcessRunner.end(offer)
    }

    /// The process of `pasteboard connect` on the other machine.
    private func connectProcess(of machine: CommandMachine) throws -> CInt {
        let links = try machine.desk.succeed("pasteboard links --json | sed 's/.*\"process\":\\([0-9]*\\).*/\\1/'")
        return try #require(CInt(links.dropLast()))
    }

    @Test("When the program of a link is killed, waiting pastes fail at once, and all comes back", .tags(.f98))
    func killed() throws {
        let machine = try CommandMachine()
        try expectRecovery(of: machine) { _ in
            let process = try connectProcess(of: machine)
            #expect(kill(process, SIGKILL) == 0)
        }
    }

    @Test("When the program of a link is frozen, waiting pastes fail, and all comes back", .tags(.f97))
    func frozen() throws {
        let machine = try CommandMachine()
        var frozen: CInt = 0
        try expectRecovery(of: machine) { _ in
            frozen = try connectProcess(of: machine)
            #expect(kill(frozen, SIGSTOP) == 0)
        }
    }

    @Test("When the broker of this machine is killed, waiting pastes on the other fail, and all comes back")
    func killedBroker() throws {
        let machine = try CommandMachine()
        try expectRecovery(of: machine) { _ in try machine.near.killBroker() }
    }

    @Test("When the broker of the other machine is killed, what has come over the link comes back")
    func killedFarBroker() throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        try machine.near.copy("mine")
        try machine.eventuallyFar("mine", "pasteboard paste")
        try machine.desk.killBroker()
        try link.waitForErrors(containing: "connected again")
        try machine.eventuallyFar("mine", "pasteboard paste")
    }

    @Test(
        "When the broker at one end is stopped, the link ends with 3, and starts no broker",
        arguments: [true, false]
    )
    func stopped(isNear: Bool) throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        let desk = isNear ? machine.near : machine.desk
        try desk.run("stop")
        #expect(try link.finish().exitCode == 3)
        #expect(try desk.run("status").exitCode == 3)
    }

    @Test("A slow load does not make either end believe that the other one is silent")
    func slowLoad() throws {
        let machine = try CommandMachine(silence: "5s")
        let link = try machine.link("--silence", "3s")
        let lines = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.8; done"
        let offer = try machine.desk.offer(["-t", "text=\(lines)"])
        try machine.eventuallyNear("public.utf8-plain-text\n", "pasteboard types | cut -d' ' -f1")
        #expect(try machine.near.run("paste").text == "1\n2\n3\n4\n5\n6\n7\n8\n")
        try ProcessRunner.end(offer, link)
    }

    @Test("Files are dragged to a destination of the other machine, and a move deletes them when they have arrived")
    func drags() throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        let near = machine.near
        _ = try machine.desk.directory.makeDirectory("in")
        let drop = try machine.desk.start("drop", "--as", "inbox", "--into", "in", "--accept", "data")
        try near.directory.write(Desk.bytes(3_000_000), to: "a")
        try near.succeed("pasteboard drag a --wait 5m --to inbox@far")
        #expect(try System.status(at: near.directory["a"]) != nil)
        let sum = try near.succeed("cksum < a")
        #expect(try machine.far("cksum < in/a; rm in/a") == sum)
        try near.succeed("pasteboard drag a --move --to inbox@far")
        #expect(try System.status(at: near.directory["a"]) == nil)
        #expect(try machine.far("cksum < in/a") == sum)
        #expect(try near.succeed("pasteboard drop --list").contains("inbox@far"))
        // A file that the destination refuses stays.
        let pictures = try machine.desk.start("drop", "--as", "pictures", "--into", "in", "--accept", "png")
        try near.directory.write("x", to: "b.txt")
        let refused = try near.run("drag", "b.txt", "--move", "--wait", "5m", "--to", "pictures@far")
        #expect(refused.exitCode == 1, "\(refused.errorText)")
        #expect(try System.status(at: near.directory["b.txt"]) != nil)
        try ProcessRunner.end(drop, pictures)
        try machine.eventuallyNear("", "pasteboard drop --list")
        try ProcessRunner.end(link)
    }

    @Test("A link that is lost during a move loses no file")
    func lostDrag() throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        let near = machine.near
        _ = try machine.desk.directory.makeDirectory("in")
        let drop = try machine.desk.start("drop", "--as", "inbox", "--into", "in")
        try near.directory.write(Desk.bytes(100), to: "a")
        try machine.eventuallyNear("yes\n", "pasteboard drop --list | grep -q inbox@far && echo yes")
        // The destination is frozen, so the drop cannot end before the link does.
        try drop.child.kill(SIGSTOP)
        let drag = try near.start("drag", "a", "--move", "--to", "inbox@far")
        try eventually("a session there") { try machine.far("pasteboard status --json").contains(#""owner""#) }
        try link.child.kill(SIGKILL)
        _ = try link.finish()
        #expect(try drag.finish().exitCode != 0)
        try drop.child.kill(SIGCONT)
        #expect(try System.status(at: near.directory["a"]) != nil)
        try ProcessRunner.end(drop)
    }

    @Test("A promise of 1 GiB costs the link less than 4 KiB until somebody pastes it", .tags(.f99))
    func unpasted() throws {
        let machine = try CommandMachine()
        let link = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            [
                "link", "far", "--via",
                "tee in | (\(machine.linkArguments[2].dropFirst("exec ".count))) | tee out",
            ],
            environment: machine.near.environment,
            directory: machine.near.directory.path
        )
        try link.waitForErrors(containing: "linked with ")
        let offer = try machine.near.offer(["-t", "data=touch asked; head -c 1G /dev/zero"])
        try machine.eventuallyFar("public.data\n", "pasteboard types | cut -d' ' -f1")
        let count = try machine.near.succeed("cat in out | wc -c")
        #expect(try #require(Int(count.dropLast())) < 4096)
        #expect(try System.status(at: machine.near.directory["asked"]) == nil)
        for program in [offer, link] {
            try program.child.killGroup(SIGTERM)
            _ = try program.finish()
        }
    }

    @Test(
        "Errors say which machine, why, and what to do",
        .tags(.f104),
        arguments: [
            (["link"], 2, "name one machine: pasteboard link [USER@]HOST"),
            (["link", "a", "--only", "both"], 2, "write send or receive"),
            (["link", "a", "--share", "all"], 2, "write sensitive or transient"),
            (["link", "--", "-oProxyCommand=touch x"], 2, "invalid machine"),
            (["link", "a", "--via", "exit 9"], 3, "a: 'exit 9' ended with status 9"),
            (["link", "a", "--via", "echo welcome to this machine"], 9, "printed text that is not"),
            (["link", "a", "--via", ""], 2, "the command of --via is empty"),
            (["link", "a", "--as", "-x"], 2, "invalid name '-x' of --as"),
            (["link", "a", "--via", "echo; exec /proc/$PPID/exe connect"], 9, "printed text that is not"),
            (["doctor", "--link", "a", "--via", "echo; exec /proc/$PPID/exe connect"], 1, "printed text that is not"),
            (["link", "a", "--via", "exec /proc/$PPID/exe connect"], 2, "a has the same broker as this program"),
            (["doctor", "--link", "a", "--via", "exit 127"], 1, "a cannot be reached: 'exit 127' ended with"),
            (["doctor", "--via", "x"], 2, "--via has no effect without --link"),
        ]
    )
    func errors(arguments: [String], exitCode: CInt, text: String) throws {
        let desk = try Desk()
        let finished = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            arguments,
            environment: desk.environment,
            directory: desk.directory.path
        ).finish()
        #expect(finished.exitCode == exitCode && (finished.text + finished.errorText).contains(text), "\(finished)")
        #expect(try System.status(at: desk.directory["x"]) == nil)
    }

    @Test("A load that has begun arrives whole although the source's broker is replaced")
    func replaced() throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        let command = "echo a; touch asked; until [ -e go ]; do sleep 0.02; done; echo b"
        let offer = try machine.near.offer(["-t", "text=\(command)"])
        try machine.eventuallyFar("public.utf8-plain-text\n", "pasteboard types | cut -d' ' -f1")
        let paste = try machine.desk.start("paste")
        try machine.near.waitForFile("asked", in: ".")
        let broker = try machine.near.serve("--replace")
        try machine.near.directory.write("", to: "go")
        let pasted = try paste.finish()
        #expect(pasted.exitCode == 0 && pasted.text == "a\nb\n", "\(pasted.errorText)")
        try link.waitForErrors(containing: "connected again")
        try ProcessRunner.end(offer, link, broker)
    }

    @Test("A drop over a link ends with its result although the destination's broker is replaced meanwhile")
    func replacedDuringDrop() throws {
        let machine = try CommandMachine()
        let link = try machine.link()
        let near = machine.near
        let inbox = try RawDropDestination(at: machine.desk, name: "inbox")
        let other = try machine.desk.start("drop", "--as", "other", "--into", ".")
        try near.directory.write(Desk.bytes(3_000_000), to: "a")
        for name in ["inbox", "other"] {
            try machine.eventuallyNear("yes\n", "pasteboard drop --list | grep -q \(name)@far && echo yes")
        }
        let drag = try near.start("drag", "a", "--to", "inbox@far")
        let session = try inbox.propose(.copy)
        try inbox.load(credit: 100_000)
        _ = try inbox.peer.next(.data)
        // The other destination goes to the next broker at once.
        let broker = try machine.desk.serve("--replace")
        try machine.eventuallyFar("yes\n", "pasteboard drop --list | grep -q other && echo yes")
        // The link has been told of the end of the other destination by then.
        for _ in 0..<20 { #expect(try near.succeed("pasteboard drop --list").contains("inbox@far")) }
        try inbox.allow(3_000_000)
        while try !inbox.peer.next(.data).header.flags.contains(.last) {}
        try inbox.conclude(session)
        let dragged = try drag.finish()
        #expect(dragged.exitCode == 0, "\(dragged.errorText)")
        try ProcessRunner.end(other, link, broker)
    }

    @Test("What the command of --via has started ends with the link")
    func descendants() throws {
        let desk = try Desk()
        let link = try desk.start("link", "far", "--via", "sh -c 'echo $$ > new; mv new inner; exec sleep 1000'; :")
        try desk.waitForFile("inner", in: ".")
        let inner = try #require(CInt(try desk.succeed("cat inner").dropLast()))
        try link.child.kill(SIGTERM)
        #expect(try link.finish().exitCode == 143)
        try eventually("the inner process has ended") { kill(inner, 0) == -1 }
    }

    @Test("A destination that the other broker does not take is reported once")
    func refusedDestination() throws {
        let machine = try CommandMachine()
        let link = try machine.link("--as", "a/b")
        let drop = try machine.near.start("drop", "--as", "inbox", "--into", ".")
        try link.waitForErrors(containing: "destination inbox of a/b is not on far: ")
        // Changes of others are no reason to report the first one again.
        let others = try ["second", "third"].map { name in
            let other = try machine.near.start("drop", "--as", name, "--into", ".")
            try link.waitForErrors(containing: "destination \(name) of a/b is not on far: ")
            return other
        }
        try ProcessRunner.end(drop, others[0], others[1])
        try link.child.kill(SIGTERM)
        let lines = try link.finish().errorText.split(separator: "\n")
        #expect(lines.count { $0.contains("destination inbox") } == 1, "\(lines)")
    }

    @Test("doctor checks a machine")
    func doctor() throws {
        let machine = try CommandMachine()
        let report = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["doctor", "--link"] + machine.linkArguments,
            environment: machine.near.environment
        ).finish()
        #expect(report.exitCode == 0 && report.text.contains("which supports links"), "\(report.text)")
    }
}
