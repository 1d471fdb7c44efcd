import TestSupport
import Testing

@testable import PasteboardKit

/// Where a session is for its receiver, after each event.
@Suite(.pure) struct ReceivedPhaseTests {
    /// The results of the events, by their first letters; capital letters for those that are true.
    private func results(_ events: String) -> String {
        var phase = ReceivedPhase.first
        let results = events.split(separator: " ").map { event -> String in
            let result: Bool
            switch event {
            case "enter":
                phase.enter()
                result = phase == .inside
            case "leave": result = phase.leave()
            case "begin": result = phase.beginPerforming()
            case "return": result = phase.endPerforming()
            default: result = phase.end()
            }
            return result ? event.uppercased() : String(event)
        }
        return results.joined(separator: " ") + (phase.isKnown ? "" : " unknown")
    }

    @Test(
        "A receiver that has proposed something gets each exit once, and the end only after its drop",
        arguments: [
            "leave begin END unknown",
            "ENTER ENTER LEAVE leave begin END",
            "ENTER LEAVE ENTER BEGIN begin leave enter return END leave",
            "ENTER BEGIN enter end RETURN END",
        ]
    )
    func events(expected: String) {
        #expect(results(expected.lowercased().replacing(" unknown", with: "")) == expected)
    }
}
