import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Loads once and reports its events.
final class ScriptedDestination {
    private var connection: BlockingConnection?
    private let holds: Bool
    private let isBlind: Bool
    private var passed: DescriptorBox?
    private var load = Load()
    private var stream: UInt64 = 0
    private var orders = Orders()
    private var received = 0
    private var isIntact = true
    /// The line that reports the end of the load.
    private var outcome: String?
    private var isClosing = false

    init(_ connection: BlockingConnection, _ options: PeerOptions) throws {
        self.connection = connection
        self.holds = options.has("hold")
        self.isBlind = options.has("blind")
        if options.has("takes-descriptor") { self.load.descriptorWelcome = true }
        self.load.board = options.text("board")
        self.load.credit = try options.number("credit").map { UInt64($0) }
    }

    func run() throws {
        self.stream = try self.connection?.io.state.open(self.load) ?? 0
        if self.isBlind {
            try self.connection?.io.flush()
            try TestPeer.say("loading")
            return try self.orders.waitForEnd()
        }
        do {
            while self.outcome == nil, !self.isClosing { try self.turn() }
        } catch let failure as Failure {
            self.outcome = self.outcome ?? "failed \(failure)"
        }
        if let outcome = self.outcome { try TestPeer.say(outcome) }
        if self.passed != nil { return try self.orders.waitForEnd() }
        if self.outcome != nil { return }
        // This was the only reference.
        self.connection = nil
        try TestPeer.say("closed")
        try self.orders.waitForEnd()
    }

    private func turn() throws {
        guard let connection = self.connection else { return }
        let before = self.received
        var isAnswered = false
        let ready = try connection.turn(extra: self.orders.interests) { state, event, bytes in
            switch event {
            case .answered:
                isAnswered = true
            case .data(let stream, let payload, let last):
                self.isIntact = self.isIntact && Pattern.matches(bytes.extracting(payload), at: self.received)
                self.received += payload.count
                if !self.holds { state.consumed(stream, count: payload.count) }
                if last { self.finish() }
            case .ended(self.stream, _):
                self.finish()
            case .passed(self.stream, let answer, let descriptor):
                // Do not read it: the file may be one that blocks.
                self.passed = descriptor
                let isSealed = System.isFullySealed(descriptor.raw)
                self.outcome = "passed \(answer.byteCount ?? 0) \(isSealed ? "sealed" : "unsealed")"
            case .failed(self.stream, let failure):
                self.outcome = "failed \(failure)"
            default:
                break
            }
        }
        if isAnswered { try TestPeer.say("answered") }
        if self.received > before { try TestPeer.say("bytes \(self.received)") }
        if ready.contains(where: { !$0.isEmpty }) { try self.orders.read() }
        while let order = self.orders.current, !self.isClosing {
            self.orders.done()
            switch order.name {
            case "take":
                connection.io.state.consumed(self.stream, count: order.count)
                connection.io.state.grant(self.stream)
            case "close": self.isClosing = true
            case "exit": exit(0)
            default: throw Misuse()
            }
        }
    }

    private func finish() {
        self.outcome = "done \(self.received) \(self.isIntact ? "intact" : "damaged")"
    }
}
