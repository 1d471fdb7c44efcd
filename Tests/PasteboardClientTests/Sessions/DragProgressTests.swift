import PasteboardClient
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct DragProgressTests {
    private static let gone = Failure(.destinationGone, "gone")

    private static func proposal(_ sequence: UInt64?, _ operation: DropOperation) -> ClientEvent {
        var proposal = Proposal()
        proposal.sequence = sequence
        proposal.operation = operation
        return .proposed(1, proposal)
    }

    private static func exit(_ refusal: Failure? = nil) -> ClientEvent {
        var exit = Exit()
        exit.refusal = refusal
        return .exited(1, exit)
    }

    private static func dropped(_ operation: DropOperation) -> ClientEvent {
        var dropped = Dropped()
        dropped.operation = operation
        return .dropped(1, dropped)
    }

    private static func transferred(_ items: [UInt32], _ failure: Failure? = nil) -> ClientEvent {
        var transferred = Transferred()
        transferred.items = items
        transferred.failure = failure
        return .transferred(1, transferred)
    }

    private static func outcome(_ events: [ClientEvent]) -> String {
        var progress = DragProgress()
        for event in events { progress.handle(event) }
        let items = progress.transferredItems.map(String.init).joined(separator: ",")
        return switch progress.outcome {
        case nil: "none"
        case .cancelled: "cancelled \(items)"
        case .transferred(let operation): "\(operation) \(items)"
        case .failed(let failure): "\(failure.code) \(items)"
        }
    }

    @Test("The outcome is determined by the end of the stream and all events before it")
    func outcomes() {
        let end = ClientEvent.ended(1, End())
        #expect(Self.outcome([]) == "none")
        #expect(Self.outcome([Self.dropped(.copy), Self.transferred([0])]) == "none")
        #expect(Self.outcome([Self.dropped(.copy), Self.transferred([0, 1]), end]) == "copy 0,1")
        #expect(Self.outcome([Self.dropped(.move), Self.transferred([0]), end]) == "move 0")
        #expect(Self.outcome([Self.dropped(.cancel), end]) == "cancelled ")
        #expect(Self.outcome([Self.dropped(.copy), end]) == "cancelled ")
        // An unknown operation moves nothing.
        #expect(Self.outcome([Self.dropped(DropOperation(rawValue: 9)), Self.transferred([0]), end]) == "cancelled 0")
        #expect(Self.outcome([Self.dropped(.move), Self.transferred([1], Self.gone), end]) == "destination-gone 1")
        #expect(Self.outcome([.failed(1, Failure(.timeout, ""))]) == "timeout ")
        #expect(Self.outcome([Self.dropped(.move), .failed(1, Failure(.timeout, ""))]) == "timeout ")
        // The transfer was complete before the connection was lost.
        #expect(Self.outcome([Self.dropped(.move), Self.transferred([0]), .failed(1, Self.gone)]) == "move 0")
        #expect(Self.outcome([Self.dropped(.cancel), end, .failed(1, Self.gone)]) == "cancelled ")
    }

    @Test("A session that its source cancels has moved nothing, whatever was reported before")
    func withdrawn() {
        var progress = DragProgress()
        for event in [Self.dropped(.move), Self.transferred([0])] { progress.handle(event) }
        progress.cancel()
        progress.handle(.ended(1, End()))
        guard case .cancelled = progress.outcome else {
            Issue.record("it was withdrawn")
            return
        }
        #expect(progress.transferredItems.isEmpty)
    }

    @Test("The latest proposal is used, and a lost destination withdraws it until there is another")
    func proposals() {
        var progress = DragProgress()
        #expect(!progress.hasAnswered(0))
        progress.handle(Self.proposal(2, .copy))
        #expect(progress.hasAnswered(1) && progress.hasAnswered(2) && !progress.hasAnswered(3))
        progress.handle(Self.proposal(1, .move))
        #expect(progress.proposal?.operation == .copy)
        progress.handle(Self.proposal(2, .move))
        #expect(progress.proposal?.operation == .move)
        progress.handle(Self.exit(Self.gone))
        #expect(progress.proposal?.operation == .cancel && progress.proposal?.refusal == Self.gone)
        #expect(progress.hasAnswered(2))
        progress.handle(Self.proposal(1, .copy))
        #expect(progress.proposal?.operation == .cancel)
        progress.handle(Self.proposal(3, .copy))
        #expect(progress.proposal?.operation == .copy && progress.proposal?.refusal == nil)
    }
}
