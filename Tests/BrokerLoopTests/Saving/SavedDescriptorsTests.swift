import TestSupport
import Testing

@testable import BrokerLoop

@Suite(.pure) struct SavedDescriptorsTests {
    @Test("A keeper saves nothing if it has so few descriptors that its broker would keep less than without it")
    func fewDescriptors() {
        let capacities = [3, 64, 65, 67, 88, 89, 1_024, .max].map { SavedDescriptors(limit: $0).capacity }
        #expect(capacities == [0, 0, 0, 0, 0, 25, 960, SavedDescriptors.most])
    }
}
