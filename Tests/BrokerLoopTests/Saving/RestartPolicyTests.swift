import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) struct RestartPolicyTests {
    private var policy = RestartPolicy()

    @Test("A broker that has served for a while is started again at once, however often it dies")
    mutating func restarts() {
        for _ in 0..<1_000 { #expect(policy.ended(after: RestartPolicy.soon) == .restart(after: 0)) }
    }

    @Test("Brokers that die soon are started again more and more slowly, and not for ever")
    mutating func soon() {
        let pauses: [UInt64] = [0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_000, 5_000]
        for pause in pauses { #expect(policy.ended(after: RestartPolicy.soon - 1) == .restart(after: pause)) }
        for _ in pauses.count..<RestartPolicy.mostDeaths - 1 {
            #expect(policy.ended(after: 0) == .restart(after: RestartPolicy.longestPause))
        }
        #expect(policy.ended(after: 0) == .giveUp)
    }

    @Test("The contents are given up only after failed starts in a row")
    mutating func failedStarts() {
        for _ in 0..<3 {
            for _ in 1..<RestartPolicy.startsWithContents {
                guard case .restart = policy.ended(after: nil) else {
                    Issue.record("a start gave up the contents")
                    return
                }
            }
            #expect(policy.ended(after: 1_000) == .restart(after: 0))
        }
        for start in 1..<RestartPolicy.mostStarts {
            let decision = policy.ended(after: nil)
            if case .restartEmpty = decision {
                #expect(start == RestartPolicy.startsWithContents)
            } else {
                #expect(start != RestartPolicy.startsWithContents && decision != .giveUp)
            }
        }
        #expect(policy.ended(after: nil) == .giveUp)
    }
}
