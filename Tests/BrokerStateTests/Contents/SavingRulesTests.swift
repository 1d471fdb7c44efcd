import BrokerState
import TestSupport
import Testing

/// The survival of contents, as the article about reliability states it.
@Suite(.pure) struct SavingRulesTests {
    @Test("Contents outlive a crash or the end of a broker by their sort", .tags(.f86, .f102))
    func places() {
        let table: [(SavingRules.Sort, SavingRules.Places)] = [
            (.temporary, []), (.secret, []), (.counted, []), (.promised, []), (.transient, .manager),
            (.kept, [.manager, .disk]),
        ]
        #expect(table.map(\.0) == SavingRules.Sort.allCases)
        for (sort, places) in table { #expect(SavingRules.places(for: sort) == places, "\(sort)") }
        #expect(SavingRules.source(hasPassedAll: true) == .manager)
        #expect(SavingRules.source(hasPassedAll: false) == .disk)
    }
}
