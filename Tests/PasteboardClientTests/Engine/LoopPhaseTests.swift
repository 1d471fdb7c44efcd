import PasteboardClient
import TestSupport
import Testing

@Suite(.pure) struct LoopPhaseTests {
    /// A loop and a thread that adds something for it to do, with each of their steps between which the other may run.
    private struct Model: Hashable {
        enum LoopStep { case looks, takes, asks, polls }
        enum AdderStep { case adds, signals, isDone }

        var phase = LoopPhase.looking(isChanged: false)
        var loop = LoopStep.looks
        var adder = AdderStep.adds
        /// Whether the descriptor that ends a poll is readable.
        var isSignalled = false
        var added = 0
        var taken = 0
        var left: Int

        /// All states that one step leads to.
        var next: [Model] { [loopStep, adderStep].compactMap { $0 } }

        private var loopStep: Model? {
            var model = self
            switch loop {
            case .looks:
                model.phase.look()
                model.loop = .takes
            case .takes:
                model.taken = added
                model.loop = .asks
            case .asks: model.loop = model.phase.mayPoll() ? .polls : .looks
            case .polls:
                guard isSignalled else { return nil }
                model.isSignalled = false
                model.loop = .looks
            }
            return model
        }

        private var adderStep: Model? {
            var model = self
            switch adder {
            case .adds:
                model.added += 1
                model.left -= 1
                model.adder = model.phase.change() ? .signals : left > 1 ? .adds : .isDone
            case .signals:
                model.isSignalled = true
                model.adder = left > 0 ? .adds : .isDone
            case .isDone: return nil
            }
            return model
        }
    }

    @Test("Whatever is added at any moment is looked at before the loop waits")
    func nothingIsLost() {
        var seen: Set<Model> = []
        var open = [Model(left: 4)]
        var ends = 0
        while let model = open.popLast() {
            guard seen.insert(model).inserted else { continue }
            if model.next.isEmpty {
                ends += 1
                #expect(model.taken == model.added && model.left == 0, "\(model)")
            }
            open += model.next
        }
        #expect(ends > 0 && seen.count > 50)
    }
}
