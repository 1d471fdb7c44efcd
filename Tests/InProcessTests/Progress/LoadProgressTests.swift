import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.inProcess)
struct LoadProgressTests {
    @Test("the fraction follows the units, and children count by their share")
    func fraction() {
        let parent = LoadProgress(totalUnitCount: 10)
        #expect(!parent.isIndeterminate)
        #expect(LoadProgress().isIndeterminate)
        let child = LoadProgress(totalUnitCount: 4)
        parent.addChild(child, withPendingUnitCount: 5)
        child.completedUnitCount = 2
        #expect(parent.fractionCompleted == 0.25)
        parent.completedUnitCount += 5
        #expect(parent.fractionCompleted == 0.75)
        child.completedUnitCount = 4
        #expect(child.isFinished)
        #expect(parent.completedUnitCount == 10)
        #expect(parent.isFinished)
        #expect(parent.fractionCompleted == 1)
    }

    @Test("a cancel reaches the handler once and all children, also children that are added later")
    func cancel() {
        let calls = Counter()
        let parent = LoadProgress(totalUnitCount: 2)
        let (early, late) = (LoadProgress(), LoadProgress())
        parent.addChild(early, withPendingUnitCount: 1)
        parent.cancellationHandler = { calls.increment() }
        parent.cancel()
        parent.cancel()
        parent.addChild(late, withPendingUnitCount: 1)
        #expect(calls.value == 1)
        #expect(parent.isCancelled && early.isCancelled && late.isCancelled)
        // A handler that is set after the cancel is called at once.
        late.cancellationHandler = { calls.increment() }
        #expect(calls.value == 2)
    }

    @Test("snapshots end with the progress, and the last one is the final state")
    func snapshots() async {
        let progress = LoadProgress(totalUnitCount: 2)
        let snapshots = progress.snapshots
        progress.completedUnitCount = 1
        progress.completedUnitCount = 2
        var last: LoadProgress.Snapshot?
        for await snapshot in snapshots { last = snapshot }
        #expect(last?.isFinished == true)
        #expect(last?.fractionCompleted == 1)
        #expect(last?.totalUnitCount == 2)
        // An iteration that begins after the end gets the final state too.
        var count = 0
        for await _ in progress.snapshots { count += 1 }
        #expect(count == 1)
    }

    @Test("progress that a handler reports reaches the destination")
    func reported() async throws {
        try await TestBroker.with { broker in
            let seen = Gate()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { completion in
                let progress = LoadProgress(totalUnitCount: 4)
                progress.completedUnitCount = 1
                Task {
                    await seen.wait()
                    completion(Data("x".utf8), nil)
                }
                return progress
            }
            let source = broker.pasteboard()
            let publication = try await source.write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            let progress = LoadProgress()
            let snapshots = progress.snapshots
            let watcher = Task {
                for await snapshot in snapshots where snapshot.fractionCompleted == 0.25 { seen.open() }
            }
            let loaded = try await item.itemProvider.loadData(for: .data, progress: progress)
            #expect(loaded.value == Data("x".utf8))
            #expect(progress.isFinished)
            #expect(progress.totalUnitCount == 4)
            await watcher.value
            withExtendedLifetime(publication) {}
        }
    }
}
