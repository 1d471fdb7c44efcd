import BlockingClient
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
        holds = options.has("hold")
        isBlind = options.has("blind")
        if options.has("takes-descriptor") { load.descriptorWelcome = true }
        load.board = options.text("board")
        load.credit = try options.number("credit").map { UInt64($0) }
        load.timeoutMilliseconds = try options.number("timeout").map { UInt64($0) }
    }

    func run() throws {
        stream = try connection?.io.state.open(load) ?? 0
        if isBlind {
            try connection?.io.flush()
            try TestPeer.say("loading")
            return try orders.waitForEnd()
        }
        do {
            while self.outcome == nil, !isClosing { try turn() }
        } catch let failure as Failure {
            self.outcome = self.outcome ?? "failed \(failure)"
        }
        if let outcome { try TestPeer.say(outcome) }
        if passed != nil { return try orders.waitForEnd() }
        if self.outcome != nil { return }
        // This was the only reference.
        connection = nil
        try TestPeer.say("closed")
        try orders.waitForEnd()
    }

    private func turn() throws {
        guard let connection else { return }
        let before = received
        var isAnswered = false
        let ready = try connection.turn(extra: orders.interests) { state, event, bytes in
            switch event {
            case .answered:
                isAnswered = true
            case .data(let stream, let payload, let last):
                isIntact = isIntact && Pattern.matches(bytes.extracting(payload), at: received)
                received += payload.count
                if !holds { state.consumed(stream, count: payload.count) }
                if last { finish() }
            case .ended(self.stream, _):
                finish()
            case .passed(self.stream, let answer, let descriptor):
                // Do not read it: the file may be one that blocks.
                passed = descriptor
                let isSealed = System.isFullySealed(descriptor.raw)
                outcome = "passed \(answer.byteCount ?? 0) \(isSealed ? "sealed" : "unsealed")"
            case .failed(self.stream, let failure):
                outcome = "failed \(failure)"
            default:
                break
            }
        }
        if isAnswered { try TestPeer.say("answered") }
        if received > before { try TestPeer.say("bytes \(received)") }
        if ready.contains(where: { !$0.isEmpty }) { try orders.read() }
        while let order = orders.current, !isClosing {
            orders.done()
            switch order.name {
            case "take":
                connection.io.state.consumed(self.stream, count: order.count)
                connection.io.state.grant(self.stream)
            case "close": isClosing = true
            case "exit": exit(0)
            default: throw Misuse()
            }
        }
    }

    private func finish() {
        outcome = "done \(received) \(isIntact ? "intact" : "damaged")"
    }
}
