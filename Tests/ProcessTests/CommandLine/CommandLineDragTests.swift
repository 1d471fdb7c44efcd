import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard drag`: files that are dropped on a destination.
@Suite(.processes) struct CommandLineDragTests {
    private let desk: Desk

    init() throws {
        desk = try Desk()
        try desk.directory.write("a", to: "a.txt")
        try desk.directory.write("b", to: "b.txt")
        _ = try desk.startBroker()
    }

    private var names: [String] { desk.directory.names().filter { $0.hasSuffix(".txt") } }

    @Test("Standard input, pipes and files are dragged with their types")
    func inputs() throws {
        let drop = try desk.destination()
        let bytes = Desk.bytes(3_000_001)
        try desk.directory.write(bytes, to: "large")
        let script = """
            set -e
            echo text | pasteboard drag --to inbox
            pasteboard drag -t .json --name c <a.txt --to inbox
            mkfifo pipe.html; cat b.txt >pipe.html & pasteboard drag pipe.html --to inbox
            cat large | pasteboard drag -t .png --name large --to inbox
            pasteboard drag --to inbox -- large
            """
        let drag = try desk.shell(script)
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        #expect(drag.text == String(repeating: "copied 1 item to inbox\n", count: 5))
        try drop.child.kill(SIGINT)
        #expect(try drop.finish().text == "in/pasted.txt\nin/c.json\nin/pipe.html\nin/large.png\nin/large\n")
        #expect(try desk.directory.contents(of: "in/pasted.txt") == Array("text\n".utf8))
        #expect(try desk.directory.contents(of: "in/pipe.html") == Array("b".utf8))
        for name in ["in/large", "in/large.png"] { #expect(try desk.directory.contents(of: name) == bytes) }
    }

    @Test("Moved files are deleted, and nothing else")
    func moved() throws {
        let bytes = Desk.bytes(3_000_001)
        try desk.directory.write(bytes, to: "large.txt")
        _ = try desk.shell("ln -s b.txt link.txt")
        let drop = try desk.destination(["--once"])
        let drag = try desk.run("drag", "--move", "a.txt", "large.txt", "link.txt", "--to", "inbox")
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        #expect(drag.text == "moved 3 items to inbox\ndeleted a.txt\ndeleted large.txt\ndeleted link.txt\n")
        #expect(names == ["b.txt"])
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 0 && dropped.errorText.contains("moved 3 items from pasteboard ("))
        #expect(desk.directory.names(in: "in") == ["a.txt", "large.txt", "link.txt"])
        #expect(try desk.directory.contents(of: "in/large.txt") == bytes)
    }

    @Test("An item of several files is not moved, because a destination would take only one of them")
    func severalFiles() throws {
        let drag = try desk.run("drag", "--move", "-t", ".html=a.txt", "-t", "text=b.txt", "--to", "inbox")
        #expect(drag.exitCode == 2 && drag.errorText.contains("one file per item"))
        #expect(names == ["a.txt", "b.txt"])
    }

    @Test("If only a part is taken, no file is deleted")
    func partOfMove() throws {
        try desk.directory.write("p", to: "p.png")
        let drop = try desk.destination(["--once", "--accept", "text"])
        let drag = try desk.run("drag", "--move", "a.txt", "p.png", "--to", "inbox")
        #expect(drag.exitCode == 6 && drag.text.isEmpty)
        #expect(drag.errorText.contains("took 1 of 2 items") && drag.errorText.hasSuffix("; nothing was deleted\n"))
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 0 && dropped.errorText.contains("\ncopied 1 of 2 items from pasteboard ("))
        #expect(dropped.errorText.hasSuffix("; the move failed, and the source may keep its files\n"))
        #expect(names == ["a.txt", "b.txt"])
    }

    @Test("If the destination copies instead of moving, nothing is deleted")
    func copiedInstead() throws {
        let destination = try RawDropDestination(at: desk, name: "copier")
        let drag = try desk.start("drag", "--move", "a.txt", "--to", "copier")
        let session = try destination.propose(.copy)
        try destination.load()
        try destination.conclude(session)
        let ended = try drag.finish()
        #expect(ended.exitCode == 0 && ended.text == "copied 1 item to copier\n")
        #expect(ended.errorText == "pasteboard: drag: destination copier copied the items; nothing was deleted\n")
        #expect(names == ["a.txt", "b.txt"])
    }

    @Test("A move that was not requested is not made")
    func notMoved() throws {
        let destination = try RawDropDestination(at: desk, name: "mover")
        let drag = try desk.start("drag", "a.txt", "--to", "mover")
        _ = try destination.propose(.move)
        let ended = try drag.finish()
        #expect(ended.exitCode == 6)
        #expect(ended.errorText.contains("would move the items, which the session does not allow"))
    }

    @Test(
        "A file that was changed or replaced during the move stays, even with its old length",
        arguments: ["echo more >>a.txt", "cp a.txt c; mv c a.txt", "printf X | dd of=a.txt conv=notrunc 2>/dev/null"]
    )
    func changed(change: String) throws {
        let destination = try RawDropDestination(at: desk, name: "mover")
        let drag = try desk.start("drag", "--move", "a.txt", "b.txt", "--to", "mover")
        let session = try destination.propose(.move)
        try destination.load(0)
        try destination.load(1)
        _ = try desk.shell(change)
        try destination.conclude(session)
        let ended = try drag.finish()
        #expect(ended.exitCode == 4)
        #expect(ended.text == "moved 2 items to mover\ndeleted b.txt\n")
        #expect(
            ended.errorText == "pasteboard: drag: a.txt was not deleted, because it has changed since it was read\n"
        )
        #expect(names == ["a.txt"])
    }

    @Test("The error for a missing destination lists the existing ones")
    func nowhere() throws {
        let drop = try desk.destination(name: "there")
        let drag = try desk.run("drag", "a.txt", "--to", "here")
        #expect(drag.exitCode == 1)
        #expect(drag.errorText == "pasteboard: drag: there is no destination here; available:\n  there\n")
        try desk.run("stop")
        _ = try drop.finish()
        let alone = try desk.run("drag", "a.txt", "--to", "here")
        #expect(alone.exitCode == 1)
        #expect(alone.errorText == "pasteboard: drag: there is no destination here, because no broker is running\n")
    }

    @Test("--wait starts a broker, waits for the destination, and drops there once it is registered")
    func waits() throws {
        try desk.run("stop")
        let drag = try desk.start("drag", "a.txt", "--to", "inbox", "--wait", "10m")
        let drop = try desk.destination(["--once"])
        let ended = try drag.finish()
        #expect(ended.exitCode == 0 && ended.text == "copied 1 item to inbox\n", "\(ended.errorText)")
        #expect(try drop.finish().exitCode == 0)
    }

    @Test("With --wait a destination that does not appear is missing after the given time")
    func waitsInVain() throws {
        let drag = try desk.run("drag", "a.txt", "--to", "inbox", "--wait", "3s")
        #expect(drag.exitCode == 1)
        #expect(drag.errorText == "pasteboard: drag: no destination inbox was registered within 3000 ms\n")
        let odd = try desk.run("drag", "a.txt", "--to", "inbox", "--wait", "soon")
        #expect(odd.exitCode == 2 && odd.errorText.contains("invalid duration 'soon'"))
    }

    @Test("A destination without a common type, one that is busy and one that declines have different errors")
    func refusals() throws {
        let texts = try desk.destination(["--accept", "image"], name: "pictures")
        let drag = try desk.run("drag", "a.txt", "--to", "pictures")
        #expect(drag.exitCode == 1)
        #expect(drag.errorText.contains("destination pictures accepts none of the items: it accepts public.image"))
        try texts.child.kill(SIGINT)
        _ = try texts.finish()

        let busy = try desk.destination()
        let source = try RawDragSource(at: desk)
        #expect(try source.drop(at: "inbox") == .copy)
        let second = try desk.run("drag", "a.txt", "--to", "inbox")
        #expect(second.exitCode == 6 && second.errorText.contains("destination inbox has another session"))
        try busy.child.kill(SIGINT)
        _ = try busy.finish()

        let destination = try RawDropDestination(at: desk, name: "moody")
        for (operation, declines, words) in [
            (DropOperation.cancel, nil, "proposes no operation for the items"),
            (.forbidden, nil, "accepts nothing at this time"),
            (.cancel, true, "does not accept such items"),
        ] {
            let drag = try desk.start("drag", "a.txt", "--to", "moody")
            _ = try destination.propose(operation, cannotHandle: declines)
            let ended = try drag.finish()
            #expect(ended.exitCode == 6)
            #expect(ended.errorText == "pasteboard: drag: destination moody \(words)\n")
        }
    }

    @Test("A destination that loads nothing has taken nothing")
    func nothingTaken() throws {
        let destination = try RawDropDestination(at: desk, name: "idle")
        let drag = try desk.start("drag", "--move", "a.txt", "--to", "idle")
        let session = try destination.propose(.move)
        try destination.dropped()
        try destination.conclude(session)
        let ended = try drag.finish()
        #expect(ended.exitCode == 6)
        #expect(ended.errorText == "pasteboard: drag: destination idle accepted none of the items\n")
        #expect(names == ["a.txt", "b.txt"])
    }

    @Test("A destination that dies during a move leaves all files in place", .tags(.f32), arguments: [false, true])
    func destinationDies(hasAll: Bool) throws {
        try desk.directory.write(Desk.bytes(3_000_001), to: "large.txt")
        let destination = try RawDropDestination(at: desk, name: "mortal")
        let drag = try desk.start("drag", "--move", "a.txt", "large.txt", "--to", "mortal")
        _ = try destination.propose(.move)
        try destination.load(0)
        try destination.load(1, credit: hasAll ? 10_000_000 : 1000)
        while try destination.peer.next(.data).header.flags.contains(.last) != hasAll {}
        destination.peer.close()
        let ended = try drag.finish()
        #expect(ended.exitCode == 5 && ended.text.isEmpty)
        #expect(ended.errorText.contains("destination mortal") && ended.errorText.hasSuffix("nothing was deleted\n"))
        #expect(names == ["a.txt", "b.txt", "large.txt"])
    }

    @Test("A drag that is interrupted cancels its session and deletes nothing", .tags(.f80))
    func interrupted() throws {
        try desk.directory.write(Desk.bytes(3_000_001), to: "large.txt")
        let destination = try RawDropDestination(at: desk, name: "slow")
        let drag = try desk.start("drag", "--move", "large.txt", "--to", "slow")
        _ = try destination.propose(.move)
        try destination.load(credit: 1000)
        _ = try destination.peer.next(.data)
        try drag.child.kill(SIGINT)
        let ended = try drag.finish()
        #expect(ended.exitCode == 130)
        let text = "interrupted: the drop was cancelled, and the destination may have some of the items"
        #expect(ended.errorText == "pasteboard: drag: \(text); nothing was deleted\n")
        _ = try destination.peer.next(.error)
        #expect(names == ["a.txt", "b.txt", "large.txt"])
    }

    @Test("An interrupted drag ends the drop of a file that its destination is copying")
    func interruptedCopy() throws {
        // A copy by the kernel cannot be held back, but its process can be stopped. The test sees the new file within
        // milliseconds, in which the destination copies a small part of the file. Holes would take no time.
        try desk.succeed("head -c 512M /dev/zero > large.bin")
        let drop = try desk.destination(["--once"])
        let drag = try desk.start("drag", "large.bin", "--to", "inbox")
        try desk.waitForUnnamedFile(of: drop)
        try drop.child.kill(SIGSTOP)
        do {
            defer { try? drop.child.kill(SIGCONT) }
            try drag.child.kill(SIGINT)
            #expect(try drag.finish().exitCode == 130)
        }
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 8 && dropped.text.isEmpty)
        #expect(dropped.errorText.contains("pasteboard: drop: item 1: source \"pasteboard\" ("))
        #expect(dropped.errorText.contains(") has withdrawn the session\n"), "\(dropped.errorText)")
        #expect(dropped.errorText.contains("\ncopied 0 of 1 item from pasteboard ("))
        #expect(desk.directory.names(in: "in").isEmpty)
    }

    @Test("A move inside one directory changes nothing, and both sides say so", arguments: [1, 100_000])
    func movedToItself(size: Int) throws {
        let bytes = Desk.bytes(size)
        let drop = try desk.destination(["--once"])
        try desk.directory.write(bytes, to: "in/same.bin")
        let drag = try desk.run("drag", "--move", "in/same.bin", "--to", "inbox")
        #expect(drag.exitCode == 6 && drag.text.isEmpty)
        let reason = "item 1: in/same.bin is the file itself, so there is nothing to move"
        #expect(drag.errorText.hasSuffix("\(reason); nothing was deleted\n"), "\(drag.errorText)")
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 4 && dropped.errorText.contains("pasteboard: drop: \(reason)\n"))
        #expect(desk.directory.names(in: "in") == ["same.bin"])
        #expect(try desk.directory.contents(of: "in/same.bin") == bytes)
    }

    @Test("A file that was shortened in the meantime fails, and does not count as complete", .tags(.f59))
    func shortened() throws {
        let destination = try RawDropDestination(at: desk, name: "slow")
        let drag = try desk.start("drag", "a.txt", "--to", "slow")
        let session = try destination.propose(.copy)
        _ = try desk.shell(": >a.txt")
        try destination.load()
        let failure = try destination.peer.next(.error).decoded(as: Failure.self)
        #expect(failure.code == .sourceFailed && failure.text.contains("a.txt was shortened to 0 bytes"))
        try destination.conclude(session)
        #expect(try drag.finish().exitCode == 5)
    }

    @Test(
        "Arguments that contradict each other are refused",
        arguments: [
            (["a.txt"], CInt(2), "missing destination; write --to NAME"),
            (["--to", "x", "--move"], 2, "cannot move standard input, because it is not a regular file"),
            (["--to", "x", "none.txt"], 4, "cannot read none.txt"),
            (["--to", "x", ".config"], 1, "there is no destination x"),
            (["--to", "x", "--move", ".config"], 2, "cannot move directory .config"),
            (["--to", "a/b", "a.txt"], 2, "a destination's name must have 1 to 255 bytes"),
            (
                ["--to", "x", "-t", ".png=a.txt", "b.txt"], 2,
                "-t TYPE=FILE cannot be combined with FILE; write 'b.txt' as -t TYPE=FILE, too"
            ),
            (["--to", "x", "--name", "n", "a.txt", "b.txt"], 2, "option --name is for a single item"),
        ]
    )
    func refused(arguments: [String], code: CInt, text: String) throws {
        let words = (["pasteboard", "drag"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let refused = try desk.shell(words)
        #expect(
            refused.exitCode == code && refused.errorText.hasPrefix("pasteboard: drag: \(text)"),
            "\(refused.errorText)"
        )
    }
}
