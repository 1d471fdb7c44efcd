import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport

/// The source of a drag session that sends single frames, so that it can stop after any of them.
struct RawDragSource {
    private static let session: UInt64 = 1
    let peer: ScriptedPeer

    /// Begins a session of items with these suggested names, each promised as `public.data`.
    init(at desk: Desk, _ names: [String?] = ["a.bin"], allowsMove: Bool = false) throws {
        peer = try ScriptedPeer(greeting: desk, label: "raw")
        var drag = Drag()
        drag.movesBetweenProcesses = allowsMove
        drag.allowsMove = allowsMove
        try peer.send(drag, stream: Self.session)
        for name in names {
            var representation = Representation()
            representation.type = "public.data"
            var item = Item()
            item.suggestedName = name
            item.representations = [representation]
            try peer.send(item, stream: Self.session)
        }
        var commit = Commit()
        commit.itemCount = UInt32(names.count)
        try peer.send(commit, stream: Self.session)
        try peer.send(Begin(), stream: Self.session)
    }

    /// Drops the session there and returns the operation.
    func drop(at destination: String) throws -> DropOperation? {
        var move = Move()
        move.location = Location()
        move.location?.destination = destination
        move.sequence = 1
        try peer.send(move, stream: Self.session)
        _ = try peer.next(.proposal)
        try peer.send(Drop(), stream: Self.session)
        return try peer.next(.dropped).decoded(as: Dropped.self).operation
    }

    func asked() throws -> UInt64 { try peer.next(.ask).stream }

    func withdraw() throws { try peer.send(Cancel(), stream: Self.session) }

    /// The final report of the drop.
    func transferred() throws -> Transferred {
        try peer.next(.transferred).decoded(as: Transferred.self)
    }
}

/// A destination that sends single frames.
final class RawDropDestination {
    private static let destination: UInt64 = 1
    let peer: ScriptedPeer
    private var lastLoad = RawDropDestination.destination
    private var handle: UInt64 = 0

    init(at desk: Desk, name: String) throws {
        peer = try ScriptedPeer(greeting: desk, label: "raw")
        var destination = Destination()
        destination.name = name
        try peer.send(destination, stream: Self.destination)
        _ = try peer.next(.registered)
    }

    /// Waits for a session and answers with this proposal. Returns its stream.
    func propose(_ operation: DropOperation, cannotHandle: Bool? = nil) throws -> UInt64 {
        handle = try peer.next(.session).decoded(as: Session.self).handle ?? 0
        let enter = try peer.next(.enter)
        var proposal = Proposal()
        proposal.sequence = try enter.decoded(as: Enter.self).sequence
        proposal.operation = operation
        proposal.cannotHandle = cannotHandle
        try peer.send(proposal, stream: enter.stream)
        return enter.stream
    }

    func dropped() throws { _ = try peer.next(.perform) }

    /// Loads an item with this credit. Waits for the drop before the first load.
    func load(_ item: UInt32 = 0, credit: UInt64 = 1 << 20) throws {
        if lastLoad == Self.destination { try dropped() }
        lastLoad += 2
        var load = Load()
        load.handle = handle
        load.item = item
        load.credit = credit
        try peer.send(load, stream: lastLoad)
    }

    /// Allows bytes of the last load up to an offset.
    func allow(_ offset: UInt64) throws {
        var credit = Credit()
        credit.offset = offset
        try peer.send(credit, stream: lastLoad)
    }

    func conclude(_ session: UInt64) throws {
        try peer.send(Performed(), stream: session)
        try peer.send(Conclude(), stream: session)
    }
}

extension ScriptedPeer {
    convenience init(greeting desk: Desk, label: String) throws {
        let deadline = MonotonicClock.deadline(milliseconds: Self.watchdog)
        self.init(try Socket.connect(path: desk.socket, deadline: deadline))
        var hello = Hello()
        hello.minimumVersion = 1
        hello.maximumVersion = 1
        hello.label = label
        try send(hello, stream: 0)
    }
}

extension Desk {
    /// Starts `pasteboard drop` into the directory `in`, and returns once it is registered.
    func destination(_ arguments: [String] = [], name: String = "inbox") throws -> ProcessRunner {
        if !directory.names().contains("in") { _ = try directory.makeDirectory("in") }
        let runner = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["drop", "--as", name, "--into", "in"] + arguments,
            environment: environment,
            directory: directory.path
        )
        try runner.waitForErrors(containing: "accepting ")
        return runner
    }

    /// Waits until the directory `in` has a file whose name has this beginning.
    func waitForFile(_ prefix: String) throws {
        try eventually("a file \(prefix)…") { directory.names(in: "in").contains { $0.hasPrefix(prefix) } }
    }

    /// Waits until a program writes a file that has no name yet.
    func waitForUnnamedFile(of program: ProcessRunner) throws {
        try eventually("a file without a name") {
            (3..<64).contains { number in
                let link = try? System.linkTarget("/proc/\(program.child.id)/fd/\(number)").description
                return link.map { $0.hasPrefix(directory.path) && $0.hasSuffix(" (deleted)") } ?? false
            }
        }
    }
}
