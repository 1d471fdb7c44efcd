import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Promises a representation, and sends its bytes as ordered by the test.
final class ScriptedSource {
    /// An ask, and the number of bytes to send so far.
    private struct Answer {
        var sent = 0
        var target = 0
        var ends = false
    }

    private var connection: BlockingConnection?
    private let options: PeerOptions
    private let serves: Int?
    private let passed: PassedThing?
    private var orders = Orders()
    private var asks: [UInt64: Answer] = [:]
    private var latest: UInt64?
    /// Whether a `send` order is in progress.
    private var isSending = false
    private var isClosing = false

    init(_ connection: BlockingConnection, _ options: PeerOptions) throws {
        self.connection = connection
        self.options = options
        serves = try options.number("serve")
        passed = try options.text("pass").map(PassedThing.init)
    }

    func run() throws {
        try promise()
        try TestPeer.say("promised")
        do {
            while !isClosing { try turn() }
        } catch let failure as Failure {
            return try TestPeer.say("lost \(failure.code)")
        }
        // This was the only reference.
        connection = nil
        try TestPeer.say("closed")
        try orders.waitForEnd()
    }

    private func turn() throws {
        guard let connection else { return }
        var heard: [ClientEvent] = []
        let ready = try connection.turn(extra: orders.interests) { _, event, _ in heard.append(event) }
        if ready.contains(where: { !$0.isEmpty }) { try orders.read() }
        for event in heard {
            try handle(event)
            if case .asked(let stream, _) = event, let passed { try pass(passed, on: stream, over: connection) }
        }
        repeat { try give(connection) } while try perform(connection)
    }

    private func promise() throws {
        var representation = Representation()
        representation.type = "public.data"
        representation.byteCount = try options.number("bytes").map { UInt64($0) }
        representation.firstByteMilliseconds = try options.number("first-byte").map { UInt64($0) }
        if options.has("once") { representation.policy = .onceAndKept }
        var write = Write()
        write.board = options.text("board")
        var source = ByteSource.promised
        if let count = try options.number("kept") {
            let blocks = count / Pattern.period + 1
            source = .bytes(Array(repeatElement(Pattern.block, count: blocks).joined().prefix(count)))
        }
        let item = WriteItem(representations: [(representation: representation, source: source)])
        _ = try connection?.write(write, items: [item])
    }

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .asked(let stream, _):
            asks[stream] = Answer(target: serves ?? 0, ends: serves != nil)
            latest = stream
            try TestPeer.say("asked")
        case .askCancelled(let stream):
            asks[stream] = nil
            try TestPeer.say("cancelled")
        case .ended:
            try TestPeer.say("replaced")
        default:
            break
        }
    }

    private func pass(_ thing: PassedThing, on ask: UInt64, over connection: BlockingConnection) throws {
        let byteCount = try options.number("bytes").map { UInt64($0) } ?? thing.byteCount
        let isPassed = connection.io.pass(thing.descriptor, byteCount: byteCount, on: ask)
        try connection.io.flush()
        asks[ask] = nil
        try TestPeer.say(isPassed ? "passed" : "unwelcome")
    }

    /// Sends the ordered bytes, as far as credit and the socket allow.
    private func give(_ connection: BlockingConnection) throws {
        var hasMoved = true
        while hasMoved, !connection.io.wantsWrite {
            hasMoved = false
            for stream in asks.keys.sorted() where try give(stream, over: connection) { hasMoved = true }
            try connection.io.flush()
        }
    }

    /// Sends at most one frame; false if nothing can be sent now.
    private func give(_ stream: UInt64, over connection: BlockingConnection) throws -> Bool {
        guard let answer = asks[stream] else { return false }
        guard answer.sent < answer.target else {
            if answer.ends {
                connection.io.state.end(stream)
                asks[stream] = nil
            }
            return answer.ends
        }
        let start = answer.sent % Pattern.period
        let end = min(Pattern.period, start + answer.target - answer.sent)
        let block = Pattern.block
        let bytes = block.span.extracting(start..<end)
        guard let count = try connection.io.send(bytes, on: stream, last: false) else { return false }
        asks[stream]?.sent += count
        return true
    }

    /// Carries out an order; false if there is none or if it has to wait.
    private func perform(_ connection: BlockingConnection) throws -> Bool {
        guard let order = orders.current else { return false }
        switch order.name {
        case "exit":
            exit(0)
        case "close":
            orders.done()
            isClosing = true
            return false
        default:
            break
        }
        guard let stream = latest, let answer = asks[stream], !connection.io.wantsWrite else { return false }
        switch order.name {
        case "send" where !isSending:
            asks[stream]?.target += order.count
            isSending = true
            return true
        case "send":
            guard answer.sent == answer.target else { return false }
            isSending = false
            try TestPeer.say("sent \(answer.sent)")
        case "half-frame":
            var encoder = FrameMemory()
            encoder.append(header: FrameHeader(.data, stream: stream, length: WireLimits.dataLength))
            let bytes = encoder.bytes + Pattern.block.prefix(order.count)
            try System.write(bytes.span, to: connection.io.descriptor)
            try TestPeer.say("sent-part \(order.count)")
        case "end":
            connection.io.state.end(stream)
            try connection.io.flush()
            asks[stream] = nil
            try TestPeer.say("ended")
        default:
            throw Misuse()
        }
        orders.done()
        return true
    }
}
