import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Each event in each phase of a drag session. A missing row for a phase or event does not compile.
@Suite("Phases of a drag session", .pure) struct DragSessionPhaseTests {
    /// The phases, with the states of their associated values.
    enum State: CaseIterable {
        case offered
        /// Tracking without a destination, or over a destination that must be asked, is being asked, is being asked
        /// about an earlier location, or has proposed a copy.
        case overNothing, stale, asked, outdated, current
        /// Awaiting the proposal of a destination in these states.
        case awaitingStale, awaitingAsked, awaitingOutdated, awaitingCurrent
        case dropping
        /// Transferring, after the handler has returned or the destination has concluded.
        case performed, concluded
    }

    enum Event: CaseIterable {
        case begin, pointerUpdate, drop
        case trackHere, trackElsewhere, leave, addItems
        case ask, answerCopy, answerDecline, answerOlder
        case open
        case reportPerformed, reportConcluded, repeatPerformed
        case loadBegins
    }

    /// The return value of the call.
    enum Answer: Equatable {
        case none
        case frame(DragSessionPhase.SourceFrameOutcome)
        case departure(String)
        /// Whether the proposal answers the current question.
        case isMeant(Bool)
        /// Whether a report adds something new.
        case isAccepted(Bool)
        case openLoads(Int?)
    }

    private static let here = DestinationSessionID(slot: 1, generation: 1)
    private static let elsewhere = DestinationSessionID(slot: 2, generation: 1)

    private static func expected(_ event: Event, in state: State) -> (Answer, State) {
        switch event {
        case .begin:
            switch state {
            case .offered: (.frame(.began), .overNothing)
            case .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked, .awaitingOutdated,
                .awaitingCurrent, .dropping, .performed, .concluded:
                (.frame(.isViolation), state)
            }
        case .pointerUpdate:
            switch state {
            case .offered: (.frame(.isViolation), state)
            case .overNothing, .stale, .asked, .outdated, .current: (.frame(.tracks), state)
            case .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent, .dropping, .performed, .concluded:
                (.frame(.isViolation), state)
            }
        case .drop:
            switch state {
            case .offered: (.frame(.isViolation), state)
            case .overNothing, .current: (.frame(.decides), state)
            case .stale: (.frame(.awaitsProposal), .awaitingStale)
            case .asked: (.frame(.awaitsProposal), .awaitingAsked)
            case .outdated: (.frame(.awaitsProposal), .awaitingOutdated)
            case .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent, .dropping, .performed, .concluded:
                (.frame(.isViolation), state)
            }
        case .trackHere:
            switch state {
            case .overNothing, .stale, .current: (.none, .stale)
            case .asked, .outdated: (.none, .outdated)
            case .offered, .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent, .dropping, .performed,
                .concluded:
                (.none, state)
            }
        case .trackElsewhere:
            switch state {
            case .overNothing, .stale, .asked, .outdated, .current: (.none, .stale)
            case .offered, .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent, .dropping, .performed,
                .concluded:
                (.none, state)
            }
        case .leave:
            switch state {
            case .offered, .overNothing, .dropping, .performed, .concluded: (.departure("nothing"), state)
            case .stale, .asked, .outdated, .current: (.departure("left"), .overNothing)
            case .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent:
                (.departure("decides"), .overNothing)
            }
        case .addItems:
            switch state {
            case .stale, .current: (.none, .stale)
            case .asked, .outdated: (.none, .outdated)
            case .awaitingStale, .awaitingCurrent: (.none, .awaitingStale)
            case .awaitingAsked, .awaitingOutdated: (.none, .awaitingOutdated)
            case .offered, .overNothing, .dropping, .performed, .concluded: (.none, state)
            }
        case .ask:
            switch state {
            case .stale, .asked, .outdated, .current: (.none, .asked)
            case .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent: (.none, .awaitingAsked)
            case .offered, .overNothing, .dropping, .performed, .concluded: (.none, state)
            }
        case .answerCopy:
            switch state {
            case .asked: (.isMeant(true), .current)
            case .outdated: (.isMeant(true), .stale)
            case .awaitingAsked: (.isMeant(true), .awaitingCurrent)
            case .awaitingOutdated: (.isMeant(true), .awaitingStale)
            case .offered, .overNothing, .stale, .current, .awaitingStale, .awaitingCurrent, .dropping, .performed,
                .concluded:
                (.isMeant(false), state)
            }
        case .answerDecline:
            switch state {
            case .asked, .outdated: (.isMeant(true), .stale)
            case .awaitingAsked, .awaitingOutdated: (.isMeant(true), .awaitingStale)
            case .offered, .overNothing, .stale, .current, .awaitingStale, .awaitingCurrent, .dropping, .performed,
                .concluded:
                (.isMeant(false), state)
            }
        case .answerOlder:
            switch state {
            case .offered, .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked,
                .awaitingOutdated, .awaitingCurrent, .dropping, .performed, .concluded:
                (.isMeant(false), state)
            }
        case .open:
            switch state {
            case .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked, .awaitingOutdated,
                .awaitingCurrent:
                (.none, .dropping)
            case .offered, .dropping, .performed, .concluded: (.none, state)
            }
        case .reportPerformed:
            switch state {
            case .dropping: (.isAccepted(true), .performed)
            case .performed: (.isAccepted(false), .performed)
            case .concluded: (.isAccepted(true), .concluded)
            case .offered, .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked,
                .awaitingOutdated, .awaitingCurrent:
                (.isAccepted(false), state)
            }
        case .reportConcluded:
            switch state {
            case .dropping, .performed: (.isAccepted(true), .concluded)
            case .concluded: (.isAccepted(false), .concluded)
            case .offered, .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked,
                .awaitingOutdated, .awaitingCurrent:
                (.isAccepted(false), state)
            }
        case .repeatPerformed:
            switch state {
            case .dropping, .performed: (.isAccepted(false), .performed)
            case .concluded: (.isAccepted(false), .concluded)
            case .offered, .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked,
                .awaitingOutdated, .awaitingCurrent:
                (.isAccepted(false), state)
            }
        case .loadBegins:
            switch state {
            case .dropping, .performed, .concluded: (.openLoads(1), state)
            case .offered, .overNothing, .stale, .asked, .outdated, .current, .awaitingStale, .awaitingAsked,
                .awaitingOutdated, .awaitingCurrent:
                (.openLoads(nil), state)
            }
        }
    }

    // MARK: The phases

    private static func tracking(_ state: State) -> Tracking {
        var tracking = Tracking(here, at: Location(), since: 10)
        switch state {
        case .asked, .awaitingAsked: tracking.ask(question)
        case .outdated, .awaitingOutdated:
            tracking.ask(question)
            tracking.invalidate(at: 30)
        case .current, .awaitingCurrent:
            tracking.ask(question)
            tracking.answered(.copy)
        case .offered, .overNothing, .stale, .awaitingStale, .dropping, .performed, .concluded: break
        }
        return tracking
    }

    private static let question = Tracking.Question(sequence: 5, pointerUpdate: 3, version: 1, askedAt: 20)

    private static func phase(_ state: State) -> DragSessionPhase {
        let drop = SessionDrop(destinationSession: here, operation: .copy, at: 40)
        switch state {
        case .offered: return .offered
        case .overNothing: return .tracking(nil)
        case .stale, .asked, .outdated, .current: return .tracking(tracking(state))
        case .awaitingStale, .awaitingAsked, .awaitingOutdated, .awaitingCurrent:
            return .awaitingProposal(tracking(state))
        case .dropping: return .dropping(drop)
        case .performed: return .transferring(drop, .performed(.succeeded))
        case .concluded: return .transferring(drop, .concluded(.succeeded, handler: nil))
        }
    }

    private static func state(_ phase: DragSessionPhase) -> State {
        switch phase {
        case .offered: .offered
        case .tracking(nil): .overNothing
        case .tracking(let tracking?):
            switch tracking.proposed {
            case .stale: .stale
            case .asked: .asked
            case .outdated: .outdated
            case .current: .current
            }
        case .awaitingProposal(let tracking):
            switch tracking.proposed {
            case .stale: .awaitingStale
            case .asked: .awaitingAsked
            case .outdated: .awaitingOutdated
            case .current: .awaitingCurrent
            }
        case .dropping: .dropping
        case .transferring(_, .performed): .performed
        case .transferring(_, .concluded): .concluded
        }
    }

    private static func perform(_ event: Event, _ phase: inout DragSessionPhase) -> Answer {
        switch event {
        case .begin: return .frame(phase.handle(.begin))
        case .pointerUpdate: return .frame(phase.handle(.pointerUpdate))
        case .drop: return .frame(phase.handle(.drop))
        case .trackHere: phase.track(here, at: Location(), now: 50)
        case .trackElsewhere: phase.track(elsewhere, at: Location(), now: 50)
        case .leave:
            switch phase.leave() {
            case .nothing: return .departure("nothing")
            case .left: return .departure("left")
            case .decides: return .departure("decides")
            }
        case .addItems: phase.updateTracking { $0.invalidate(at: 50) }
        case .ask: phase.updateTracking { $0.ask(question) }
        case .answerCopy: return answer(5, .copy, &phase)
        case .answerDecline: return answer(5, nil, &phase)
        case .answerOlder: return answer(4, .copy, &phase)
        case .open: phase.open(SessionDrop(destinationSession: here, operation: .copy, at: 50))
        case .reportPerformed: return report(.performed(.succeeded), &phase)
        case .reportConcluded: return report(.concluded(.succeeded), &phase)
        case .repeatPerformed:
            _ = report(.performed(.succeeded), &phase)
            return report(.performed(.succeeded), &phase)
        case .loadBegins:
            phase.updateDrop { $0.loadBegan(PublicationPart(item: 0, representation: 0)) }
            return .openLoads(phase.drop?.openLoads)
        }
        return .none
    }

    private static func answer(
        _ sequence: UInt64,
        _ operation: DropOperation?,
        _ phase: inout DragSessionPhase
    ) -> Answer {
        guard phase.tracking?.question(sequence) != nil else { return .isMeant(false) }
        phase.updateTracking { $0.answered(operation) }
        return .isMeant(true)
    }

    private static func report(_ report: DestinationReport, _ phase: inout DragSessionPhase) -> Answer {
        let isAccepted = phase.accepts(report)
        phase.handle(report, taken: [], at: 50)
        return .isAccepted(isAccepted)
    }

    @Test("Each event has one outcome in each phase", arguments: Event.allCases)
    func outcomes(_ event: Event) {
        for state in State.allCases {
            var phase = Self.phase(state)
            let answer = Self.perform(event, &phase)
            let expected = Self.expected(event, in: state)
            #expect(answer == expected.0, "\(event) while \(state)")
            #expect(Self.state(phase) == expected.1, "\(event) while \(state)")
        }
    }

    // MARK: Waiting for a proposal

    @Test("The wait for a proposal counts from the first unanswered pointer update, or from the question")
    func awaitedSince() {
        var phase = DragSessionPhase.tracking(nil)
        #expect(phase.tracking?.awaitedSince == nil)
        phase.track(Self.here, at: Location(), now: 100)
        phase.track(Self.here, at: Location(), now: 200)
        #expect(phase.tracking?.awaitedSince == 100)
        let question = Tracking.Question(sequence: 1, pointerUpdate: 1, version: 1, askedAt: 300)
        phase.updateTracking { $0.ask(question) }
        phase.track(Self.here, at: Location(), now: 400)
        #expect(phase.tracking?.awaitedSince == 300)
        phase.updateTracking { $0.ask(question) }
        phase.updateTracking { $0.answered(.move) }
        #expect(phase.tracking?.awaitedSince == nil && phase.tracking?.decision == .move)
        phase.track(Self.here, at: Location(), now: 500)
        #expect(phase.tracking?.awaitedSince == 500 && phase.tracking?.decision == nil)
        #expect(phase.tracking?.operation == .move, "the status still shows it")
    }
}
