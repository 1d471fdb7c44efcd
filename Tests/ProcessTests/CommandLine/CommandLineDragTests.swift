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

    @Test("A destination that is busy and one that declines have different errors")
    func refusals() throws {
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
}
