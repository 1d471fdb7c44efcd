import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Requests with values that the protocol does not define, or without the feature of a field.
@Suite(.pure) struct LoadValueTests {
    private static func outcome(_ configure: (inout Load) -> Void) -> Failure? {
        let broker = StateHarness()
        let source = broker.connect()
        let destination = broker.connect()
        broker.promise("public.png", "public.utf8-plain-text", from: source)
        broker.load(from: destination, configure)
        return broker.take(destination).first(Failure.self)
    }

    @Test("A condition or its epoch without the feature is refused, for a write, a load and a clear")
    func conditionWithoutFeature() {
        let broker = StateHarness()
        let peer = broker.connect()
        let count = broker.promise("a", from: peer).changeCount
        var write = Write()
        write.ifChangeCount = count
        var clear = Clear()
        clear.ifChangeCount = count
        broker.load(from: peer) { $0.ifChangeCount = count }
        broker.send(write, on: broker.newStream(of: peer), from: peer)
        broker.send(clear, on: broker.newStream(of: peer), from: peer)
        let failures = broker.take(peer).all(Failure.self)
        #expect(failures.map(\.code) == [.invalidArgument, .invalidArgument, .invalidArgument])
        #expect(failures.allSatisfy { $0.text == "the field for condition requires feature 1 in `requires`" })
        (write.ifEpoch, write.requires) = (broker.epoch, [Feature.condition.rawValue])
        (clear.ifEpoch, clear.requires) = (broker.epoch, [Feature.condition.rawValue])
        broker.send(write, on: broker.newStream(of: peer), from: peer)
        broker.send(clear, on: broker.newStream(of: peer), from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument, .invalidArgument])
        #expect(broker.list(from: peer).first(Contents.self)?.changeCount == count)
    }

    @Test("An unknown match or preference is refused, in a plain load too, and on an empty board")
    func unknownValues() {
        for board in [nil, "empty"] as [String?] {
            for (match, preference) in [(3, 0), (.max, 0), (0, 2), (1, .max)] as [(UInt32, UInt32)] {
                let failure = Self.outcome {
                    $0.board = board
                    $0.accepts = [Accept("public.png", match: Match(rawValue: match))]
                    $0.preference = Preference(rawValue: preference)
                }
                #expect(failure?.code == .invalidArgument, "match \(match), preference \(preference)")
            }
        }
    }

    @Test(
        "A malformed type in an accept list is refused, unless the entry accepts any type",
        arguments: ["", "a b", String(repeating: "a", count: 513), "a\u{A0}", "a\u{202E}b"]
    )
    func malformedTypes(_ type: String) {
        for match in [Match.conforming, .exact] {
            let failure = Self.outcome { $0.accepts = [Accept(type, match: match), Accept("a")] }
            #expect(failure?.code == .invalidArgument)
        }
        #expect(Self.outcome { $0.accepts = [Accept(type, match: .any)] } == nil)
    }
}
