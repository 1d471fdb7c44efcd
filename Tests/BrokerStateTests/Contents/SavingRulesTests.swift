import BrokerState
import TestSupport
import Testing

/// The survival of contents, as the article about reliability states it.
@Suite(.pure) struct SavingRulesTests {
    @Test("Contents outlive a crash or the end of a broker by their sort", .tags(.f86, .f102))
    func places() {
        let table: [(sort: SavingRules.Sort, isSaved: Bool, isCopied: Bool)] = [
            (.temporary, false, false), (.secret, false, false), (.counted, false, false), (.promised, false, false),
            (.transient, true, false), (.kept, true, true),
        ]
        #expect(table.map(\.sort) == SavingRules.Sort.allCases)
        for (sort, isSaved, isCopied) in table {
            #expect(SavingRules.isSaved(sort) == isSaved, "\(sort)")
            #expect(SavingRules.isCopied(sort) == isCopied, "\(sort)")
        }
    }
}
