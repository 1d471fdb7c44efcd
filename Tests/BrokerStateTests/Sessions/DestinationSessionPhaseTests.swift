import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Each event in each phase of a destination session. A missing row for a phase or event does not compile.
@Suite("Phases of a destination session", .pure) struct DestinationSessionPhaseTests {
    enum State: CaseIterable {
        case unannounced
        /// The session is outside the destination. No answer is pending, one is, or one has missed its deadline.
        case outside, outsideAsked, outsideLate
        case inside, insideAsked
        case performing

        var phase: DestinationSessionPhase {
            switch self {
            case .unannounced: .unannounced
            case .outside: .outside(.nothing)
            case .outsideAsked: .outside(.answer(7))
            case .outsideLate: .outside(.late(7))
            case .inside: .inside(.nothing)
            case .insideAsked: .inside(.answer(7))
            case .performing: .performing
            }
        }
    }

    enum Event: CaseIterable {
        case ask, answer, decline, answerAnother, leave, exit, missDeadline, perform
    }

    enum Answer: Equatable {
        case none
        case question(DestinationSessionPhase.Question?)
        case isPending(Bool)
        /// Whether the destination must be notified of the exit.
        case notifies(Bool)
    }

    private static func expected(_ event: Event, in state: State) -> (Answer, State) {
        switch event {
        case .ask:
            switch state {
            case .unannounced, .outside: (.question(.enter), .insideAsked)
            case .inside: (.question(.update), .insideAsked)
            case .outsideAsked, .outsideLate, .insideAsked, .performing: (.question(nil), state)
            }
        case .answer:
            switch state {
            case .outsideAsked, .outsideLate: (.isPending(true), .outside)
            case .insideAsked: (.isPending(true), .inside)
            case .unannounced, .outside, .inside, .performing: (.isPending(false), state)
            }
        case .decline:
            switch state {
            case .outsideAsked, .outsideLate, .insideAsked: (.isPending(true), .outside)
            case .unannounced, .outside, .inside, .performing: (.isPending(false), state)
            }
        case .answerAnother:
            switch state {
            case .unannounced, .outside, .outsideAsked, .outsideLate, .inside, .insideAsked, .performing:
                (.isPending(false), state)
            }
        case .leave:
            switch state {
            case .inside: (.notifies(true), .outside)
            case .insideAsked: (.notifies(true), .outsideAsked)
            case .unannounced, .outside, .outsideAsked, .outsideLate, .performing: (.notifies(false), state)
            }
        case .exit:
            switch state {
            case .outside, .outsideAsked, .outsideLate, .inside, .insideAsked: (.none, .outside)
            case .unannounced, .performing: (.none, state)
            }
        case .missDeadline:
            switch state {
            case .insideAsked: (.notifies(true), .outsideLate)
            case .outsideAsked: (.notifies(false), .outsideLate)
            case .unannounced, .outside, .outsideLate, .inside, .performing: (.notifies(false), state)
            }
        case .perform:
            switch state {
            case .inside, .insideAsked: (.none, .performing)
            case .unannounced, .outside, .outsideAsked, .outsideLate, .performing: (.none, state)
            }
        }
    }

    private static func perform(_ event: Event, _ phase: inout DestinationSessionPhase) -> Answer {
        switch event {
        case .ask: return .question(phase.ask(7))
        case .answer: return .isPending(phase.answered(7, declines: false))
        case .decline: return .isPending(phase.answered(7, declines: true))
        case .answerAnother: return .isPending(phase.answered(6, declines: false))
        case .leave: return .notifies(phase.leave())
        case .exit: phase.exit()
        case .missDeadline: return .notifies(phase.missDeadline())
        case .perform: phase.perform()
        }
        return .none
    }

    @Test("Each event has one outcome in each phase", arguments: Event.allCases)
    func outcomes(_ event: Event) {
        for state in State.allCases {
            var phase = state.phase
            let answer = Self.perform(event, &phase)
            let expected = Self.expected(event, in: state)
            #expect(answer == expected.0, "\(event) while \(state)")
            #expect(phase == expected.1.phase, "\(event) while \(state)")
        }
    }

    @Test("A peer that does not read is sent announcements of at most half a mebibyte")
    func announcements() {
        var announcements = Announcements(unread: 0)
        var now: UInt64 = 10_000
        func announce(_ count: UInt64) -> Bool { announcements.announce(count, at: now, delay: 500) }
        #expect(announce(600 << 10), "the first may be of any size")
        #expect(!announce(1))
        announcements.answered()
        #expect(announce(512 << 10))
        announcements.unread = 1
        now += 500
        #expect(!announce(1))
        announcements.unread = 0
        #expect(announce(1))
    }
}
