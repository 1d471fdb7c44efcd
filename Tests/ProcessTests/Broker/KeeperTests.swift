import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A keeper, which outlives its broker.
@Suite(.processes) struct KeeperTests {
    /// A keeper and its broker, as a user starts them.
    private struct Kept {
        let desk: Desk
        let keeper: ProcessRunner

        /// - Parameter shell: commands that run before.
        init(after shell: String = ":") throws {
            desk = try Desk()
            keeper = try desk.startKeeper(after: shell)
        }

        /// The process of the broker that serves now.
        func broker() throws -> CInt {
            let text = try shell("pasteboard status --json")
            let digits = try #require(text.firstRange(of: "\"process\":")).upperBound
            return try #require(CInt(text[digits...].prefix { $0.isNumber }))
        }

        func killBroker() throws {
            try System.kill(try broker(), SIGKILL)
        }

        /// The socket for requests to the keeper.
        var requests: String { desk.directory["run/pasteboard.keeper"] }

        /// Asks the keeper to start another program instead, as `--replace` does.
        ///
        /// - Parameter isSealed: whether the keeper can rely on the list of arguments.
        /// - Returns: the descriptor of the answer.
        func replace(with program: String, _ arguments: String..., isSealed: Bool = true) throws -> OwnedDescriptor {
            let keeper = try #require(ServiceManager(at: requests, capacity: 0))
            let list = try MemoryFile()
            try list.append(Array(([program] + arguments).joined(separator: "\0").utf8).span)
            if isSealed { try list.seal() }
            let pipe = try System.pipe()
            let sent = keeper.send("REPLACE=1", [list.descriptor.raw, pipe.second.raw])
            withExtendedLifetime(list) {}
            guard case .sent = sent else {
                throw SystemError(call: "notify", errno: ECONNREFUSED, subject: "the keeper")
            }
            return pipe.keepingFirst()
        }

        /// Runs a script that has to succeed.
        @discardableResult
        func shell(_ script: String) throws -> String {
            try desk.succeed(script)
        }
    }

    @Test("After a crash of the broker, all kept contents are served again, under their change counts", .tags(.f86))
    func crash() throws {
        let kept = try Kept()
        let large = Desk.bytes(3_000_000)
        try kept.desk.directory.write(large, to: "large")
        try kept.shell(
            "echo one | pasteboard copy; echo two | pasteboard copy --board x; pasteboard copy --board l large"
        )
        let before = try kept.shell("pasteboard list --json")
        for _ in 0..<3 {
            try kept.killBroker()
            #expect(try kept.shell("pasteboard paste; pasteboard paste --board x") == "one\ntwo\n")
            try kept.shell("pasteboard paste --board l | cmp - large")
        }
        #expect(Self.withoutAges(try kept.shell("pasteboard list --json")) == Self.withoutAges(before))
        try kept.shell("echo three | pasteboard copy")
        try kept.killBroker()
        #expect(try kept.shell("pasteboard paste") == "three\n")
        try kept.keeper.child.kill(SIGTERM)
        let finished = try kept.keeper.finish()
        #expect(finished.exitCode == 0 && finished.errorText.contains("was ended by signal 9; starting it again"))
    }

    private static func withoutAges(_ text: String) -> String {
        text.split(separator: ",").filter {
            !$0.contains("\"age") && !$0.contains("illiseconds") && !$0.contains("epoch")
        }
        .joined(separator: ",")
    }

    @Test("Secrets, contents for one paste, and what was cleared do not come back")
    func lost() throws {
        let kept = try Kept()
        try kept.shell(
            """
            echo a | pasteboard copy --board secret --sensitive && echo b | pasteboard copy --board once --once &&
            echo c | pasteboard copy --board cleared && pasteboard clear --board cleared
            """
        )
        try kept.killBroker()
        for board in ["secret", "once", "cleared"] {
            #expect(try kept.desk.run("paste", "--board", board).exitCode == 1)
        }
    }

    @Test("A broker whose keeper dies continues, and leaves nothing behind when it ends")
    func keeperKilled() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        try kept.keeper.child.kill(SIGKILL)
        #expect(try kept.shell("pasteboard paste") == "one\n" && kept.broker() == broker)
        #expect(try kept.shell("echo two | pasteboard copy; pasteboard paste") == "two\n")
        // The broker still has the lock.
        let second = try kept.desk.run("broker")
        #expect(second.exitCode == 3 && second.errorText.contains("a broker is already running"))
        #expect(try kept.desk.run("stop").exitCode == 0)
        let next = try kept.desk.startKeeper()
        #expect(try kept.desk.run("paste").exitCode == 1)
        try next.child.kill(SIGTERM)
        #expect(try next.finish().exitCode == 0)
    }

    @Test("A broker whose keeper has died lets no other one take over, and says so")
    func noTakeover() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        try kept.keeper.child.kill(SIGKILL)
        // When the end of a process is reported, its children have another parent.
        _ = try kept.keeper.child.wait()
        try System.kill(broker, SIGUSR2)
        try kept.keeper.waitForErrors(containing: "is ignored: the keeper has ended")
        #expect(try kept.shell("pasteboard paste") == "one\n" && kept.broker() == broker)
    }

    @Test(
        "The keeper and its broker, killed in either order, leave the path to the next one",
        arguments: [true, false]
    )
    func bothKilled(keeperFirst: Bool) throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        if keeperFirst {
            try kept.keeper.child.kill(SIGKILL)
            try System.kill(broker, SIGKILL)
        } else {
            // Stopped, so that it starts no other one.
            try kept.keeper.child.kill(SIGSTOP)
            try System.kill(broker, SIGKILL)
            try kept.keeper.child.kill(SIGKILL)
        }
        _ = try kept.keeper.finish()
        let next = try kept.desk.startKeeper()
        #expect(try kept.desk.run("paste").exitCode == 1)
        try next.child.kill(SIGTERM)
        #expect(try next.finish().exitCode == 0)
    }

    @Test(
        "A keeper ends with its broker, also if both get the signal",
        arguments: [true, false]
    )
    func ends(isForGroup: Bool) throws {
        let kept = try Kept(after: "set -- \"$0\" broker; exec setsid --wait \"$@\" --ready-fd 4 4>&1")
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        let keeper = try Self.parent(of: broker)
        try System.kill(isForGroup ? -keeper : keeper, SIGTERM)
        let finished = try kept.keeper.finish()
        #expect(finished.exitCode == 0 && !finished.errorText.contains("at once"), "\(finished.errorText)")
        #expect(kept.desk.directory.names(in: "run/pasteboard").isEmpty)
    }

    private static func parent(of process: CInt) throws -> CInt {
        try #require(CInt(try status("PPid", of: process)))
    }

    /// A field of a process's state.
    private static func status(_ field: String, of process: CInt) throws -> String {
        let status = String(decoding: try System.contents(of: "/proc/\(process)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(field):\t") })
        return String(line.dropFirst(field.count + 2))
    }

    @Test("A keeper whose broker cannot start ends with the broker's error")
    func cannotStart() throws {
        let desk = try Desk(limits: "nonsense = 1\n")
        let finished = try desk.run("broker")
        #expect(finished.exitCode == 2 && finished.errorText.contains("nonsense"))
    }

    @Test("A line of the configuration that has become wrong is logged, and costs no contents")
    func configurationChanged() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        try kept.desk.directory.write("boards = 7\nnonsense = 1\n", to: ".config/pasteboard/config")
        try kept.killBroker()
        #expect(try kept.shell("pasteboard paste") == "one\n")
        try kept.keeper.waitForErrors(containing: "config, line 2: unknown limit 'nonsense'")
        // The line before it applies.
        try kept.shell("pasteboard limits | grep '^boards  *7 '")
        try kept.keeper.child.kill(SIGTERM)
        #expect(try kept.keeper.finish().exitCode == 0)
    }

    @Test("A keeper whose socket was removed does not start its broker again, and says so")
    func socketRemoved() throws {
        let kept = try Kept()
        let broker = try kept.broker()
        // Stopped, so that it does not notice it itself.
        try System.kill(broker, SIGSTOP)
        try System.unlink(kept.desk.directory["run/pasteboard/socket"])
        try System.kill(broker, SIGKILL)
        let finished = try kept.keeper.finish()
        #expect(finished.exitCode == 3 && finished.errorText.contains("has been removed or replaced"))
    }

    @Test("A keeper that nobody can ask for a takeover says so, and restarts its broker all the same")
    func longPath() throws {
        let desk = try Desk(.socket)
        let path = desk.directory[""]
        // Just long enough for the broker's own socket.
        desk.environment["PASTEBOARD_SOCKET"] = path + String(repeating: "s", count: 107 - path.utf8.count)
        let broker = try desk.start("broker")
        try broker.waitForErrors(containing: "no other broker can take over")
        try desk.copy("text")
        #expect(try desk.run("paste").text == "text" && desk.run("stop").exitCode == 0)
        #expect(try broker.finish().exitCode == 0)
    }

    @Test("A broker that a client starts takes back what that client has set for itself, as far as it may")
    func attributes() throws {
        let desk = try Desk()
        let run = try desk.succeed(
            """
            (echo 500 >/proc/self/oom_score_adj; exec nice -n 5 taskset -c 0 pasteboard copy -e x)
            broker=$(pasteboard version | sed -n 's/.*process //p')
            keeper=$(sed 's/.*) . //; s/ .*//' /proc/$broker/stat)
            for process in $broker $keeper self; do
                grep Cpus_allowed_list /proc/$process/status; cat /proc/$process/oom_score_adj
                sed 's/.*) //' /proc/$process/stat | cut -d ' ' -f 17
            done
            """
        )
        let lines = run.split(separator: "\n").map(String.init)
        try #require(lines.count == 9, "\(run)")
        for process in [0, 3] {
            #expect(lines[process] == lines[6])
            #expect(lines[process + 1] != "500")
            // An ordinary user may not.
            if System.userID == 0 { #expect(lines[process + 2] == "0") }
        }
    }

    @Test(
        "The socket's directory, which may be mounted into a container, stays the same while brokers end and start",
        arguments: ["run/pasteboard", "new"]
    )
    func directoryStays(path: String) throws {
        let desk = try Desk()
        if path == "new" { desk.environment["PASTEBOARD_SOCKET"] = desk.directory["new/socket"] }
        try desk.copy("first")
        // As a mount does, the descriptor leads to this directory, even if another one has its name.
        let mounted = DescriptorBox(try System.open(desk.directory[path], .directory))
        #expect(try desk.run("stop").exitCode == 0)
        try desk.copy("second")
        #expect(try System.entries(of: mounted.raw).map(\.description).contains("socket"))
    }

    // MARK: Replacement

    @Test(
        "Another program takes over socket and contents under load: nothing is refused, and a running load finishes",
        .tags(.f90)
    )
    func replaced() throws {
        let kept = try Kept()
        try kept.desk.directory.write(Desk.bytes(200_000), to: "kept")
        try kept.shell("pasteboard copy kept")
        let before = try kept.broker()
        // Its bytes end only after the other broker runs.
        let offer = try kept.desk.offer(
            ["-t", "public.data=printf begin; until [ -e replaced ]; do sleep 0.05; done; printf end"],
            board: "slow"
        )
        let slow = try kept.desk.start("paste", "--board", "slow", "--timeout", "10m")
        try slow.waitForOutput(containing: "begin")
        try kept.shell(
            """
            for n in 1 2 3 4 5 6 7 8 9 10 11 12; do pasteboard paste | cmp - kept || exit 1; done &
            pasteboard broker --replace || exit 2
            wait $! && touch replaced
            """
        )
        #expect(try slow.finish().text == "beginend")
        #expect(try kept.broker() != before)
        // The new broker has the limits of the earlier one.
        try kept.shell("pasteboard broker --replace --limit boards=77 && pasteboard broker --replace --limit drain=9s")
        let limits = try kept.shell("pasteboard limits")
        #expect(limits.contains(/boards +77/) && limits.contains(/drain +9/))
        #expect(try kept.shell("pasteboard paste --board slow --wait --timeout 10m") == "beginend")
        try offer.child.kill(SIGTERM)
        _ = try offer.finish()
        try kept.killBroker()
        try kept.shell("pasteboard paste | cmp - kept")
        try kept.keeper.child.kill(SIGTERM)
        #expect(try kept.keeper.finish().exitCode == 0)
    }

    @Test("A program that cannot run as a broker does not replace one", .tags(.f90))
    func unreplaced() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let answer = try kept.replace(with: "/bin/false")
        let text = try Self.text(answer)
        #expect(text.hasPrefix("the new broker does not start") && text.contains("status 1"), "\(text)")
        #expect(try kept.shell("pasteboard paste") == "one\n")
        try kept.keeper.child.kill(SIGTERM)
        #expect(try kept.keeper.finish().exitCode == 0)
    }

    @Test("A request for a replacement whose arguments can still change is ignored")
    func changingArguments() throws {
        let kept = try Kept()
        let answer = try kept.replace(with: "/bin/sh", "-c", "echo replacing >&2", isSealed: false)
        let text = try Self.text(answer)
        #expect(text.isEmpty, "\(text)")
        try kept.keeper.child.kill(SIGTERM)
        let finished = try kept.keeper.finish()
        #expect(finished.exitCode == 0 && !finished.errorText.contains("replacing"), "\(finished.errorText)")
    }

    /// Waits for the answer of the keeper.
    private static func text(_ answer: consuming OwnedDescriptor) throws -> String {
        _ = try System.poll([PollInterest(answer.raw, .readable)], milliseconds: nil)
        return String(decoding: try System.read(answer.raw, upTo: 1_000), as: UTF8.self)
    }

    private static func isPending(_ signal: CInt, for process: CInt) throws -> Bool {
        let signals = try #require(UInt64(try status("ShdPnd", of: process), radix: 16))
        return signals & 1 << UInt64(signal - 1) != 0
    }

    @Test("A keeper that is asked to end while a replacement starts ends with it, and says why", .tags(.f90))
    func endsWhileReplacementStarts() throws {
        let kept = try Kept()
        let answer = try kept.replace(with: "/bin/sh", "-c", "echo replacing >&2; exec sleep 1000")
        try kept.keeper.waitForErrors(containing: "replacing")
        try kept.keeper.child.kill(SIGTERM)
        let text = try Self.text(answer)
        #expect(text.contains("was stopped before the new one ran"), "\(text)")
        // The replacement does not handle the signal.
        #expect(try kept.keeper.finish().exitCode == 128 + SIGTERM)
    }

    @Test("A keeper that is asked to end during a takeover does not start the replacement", .tags(.f90))
    func endsDuringTakeover() throws {
        let kept = try Kept()
        let broker = try kept.broker()
        // Stopped, so that the keeper has passed on the signal when it gets the broker's message.
        try System.kill(broker, SIGSTOP)
        let answer = try kept.replace(with: "/bin/sh", "-c", "echo replacing >&2; exec sleep 1000")
        try eventually("a pending SIGUSR2") { try Self.isPending(SIGUSR2, for: broker) }
        try kept.keeper.child.kill(SIGTERM)
        try eventually("a pending SIGTERM") { try Self.isPending(SIGTERM, for: broker) }
        try System.kill(broker, SIGCONT)
        let text = try Self.text(answer)
        #expect(text.contains("was stopped before the new one ran"), "\(text)")
        let finished = try kept.keeper.finish()
        #expect(finished.exitCode == 0 && !finished.errorText.contains("replacing"), "\(finished.errorText)")
    }

    @Test("A replacement whose keeper ends before it has answered fails with a reason")
    func keeperEnds() throws {
        let desk = try Desk()
        _ = try desk.directory.makeDirectory("run/pasteboard")
        let replacing: ProcessRunner
        do {
            // Plays the keeper, and ends with the request.
            let keeper = try NotificationSocket(path: desk.directory["run/pasteboard.keeper"])
            replacing = try desk.start("broker", "--replace")
            _ = try System.poll([PollInterest(keeper.raw, .readable)], milliseconds: nil)
        }
        let finished = try replacing.finish()
        #expect(finished.exitCode == 3 && finished.errorText.contains("ended before a new broker ran"))
    }

    @Test("A replacement that says that it is ready, and ends, is taken back", .tags(.f90))
    func endsSoon() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let before = try kept.broker()
        let answer = try kept.replace(with: "/usr/bin/env", try ProcessRunner.program("pasteboard"), "broker")
        let text = try Self.text(answer)
        #expect(text == "ok", "\(text)")
        let replaced = try kept.broker()
        #expect(replaced != before)
        try System.kill(replaced, SIGKILL)
        #expect(try kept.shell("pasteboard paste") == "one\n")
        try kept.keeper.waitForErrors(containing: "the earlier program serves again")
    }

    @Test("A replacement that is not ready in time is ended, and the earlier program serves", .tags(.f90))
    func neverReady() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let text = try Self.text(kept.replace(with: "/bin/sleep", "1000"))
        #expect(text.contains("it is not ready after 5 s"), "\(text)")
        #expect(try kept.shell("pasteboard paste") == "one\n")
    }

    @Test("A broker that does not release the socket is replaced all the same", .tags(.f90))
    func stopped() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        try System.kill(broker, SIGSTOP)
        try kept.shell("pasteboard broker --replace")
        #expect(try kept.broker() != broker)
        #expect(try kept.shell("pasteboard paste") == "one\n")
    }

    /// Expects that a request is refused from a program that a command starts.
    private func expectRefusal(by command: String) throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let broker = try kept.broker()
        let asked = try kept.desk.shell("\(command) pasteboard broker --replace")
        #expect(asked.exitCode == 3 && asked.errorText.contains("the keeper refuses it"), "\(asked.errorText)")
        #expect(try kept.broker() == broker)
        try kept.keeper.waitForErrors(containing: "a request to replace the broker is refused")
    }

    @Test("A request with fewer privileges than the keeper's is refused, and nothing runs", .tags(.f90))
    func restricted() throws {
        try expectRefusal(by: "setpriv --no-new-privs")
    }

    @Test(
        "A request from another namespace is refused, and nothing runs",
        .tags(.f90),
        .enabled(if: System.userID == 0, "needs root, which alone can create one everywhere"),
        arguments: ["unshare --mount", "unshare --pid --fork --mount-proc"]
    )
    func otherNamespace(command: String) throws {
        try expectRefusal(by: command)
    }

    @Test("Without a broker that has a keeper, there is nothing to replace")
    func nothingToReplace() throws {
        let desk = try Desk()
        let refused = try desk.run("broker", "--replace")
        #expect(refused.exitCode == 3 && refused.errorText.contains("no broker with a keeper runs at"))
    }

    @Test(
        "The keeper has less than 512 KiB of memory of its own, and one thread",
        .unsanitized,
        .enabled(if: System.userID == 0, "needs root, which alone may look at the keeper's memory")
    )
    func small() throws {
        let kept = try Kept()
        try kept.shell("echo one | pasteboard copy")
        let keeper = try Self.parent(of: kept.broker())
        // Pages of a file that the dynamic linker has changed belong to the debug build, not to the keeper.
        var (isOwn, kilobytes) = (false, 0)
        let mappings = String(decoding: try System.contents(of: "/proc/\(keeper)/smaps", limit: 1 << 20), as: UTF8.self)
        for line in mappings.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.first?.isUppercase == false {
                // ADDRESSES MODE OFFSET DEVICE INODE [PATH]
                isOwn = words.count < 6 || words[5].hasPrefix("[")
            } else if isOwn, words[0] == "Anonymous:" {
                kilobytes += try #require(Int(words[1]))
            }
        }
        #expect((1..<512).contains(kilobytes))
        let status = String(decoding: try System.contents(of: "/proc/\(keeper)/status"), as: UTF8.self)
        #expect(status.contains("Threads:\t1\n"))
    }
}
