import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.inProcess)
struct LoadProgressTests {
    @Test("fractions of children count by their weights, at any depth")
    func nested() {
        let root = LoadProgress(totalUnitCount: 4)
        let (left, right) = (LoadProgress(totalUnitCount: 2), LoadProgress(totalUnitCount: 10))
        let leaf = LoadProgress(totalUnitCount: 100)
        root.addChild(left, withPendingUnitCount: 3)
        root.addChild(right, withPendingUnitCount: 1)
        left.addChild(leaf, withPendingUnitCount: 2)
        leaf.completedUnitCount = 50
        #expect(root.fractionCompleted == 0.375)
        right.completedUnitCount = 5
        #expect(root.fractionCompleted == 0.5)
        #expect(root.completedUnitCount == 0)
        leaf.completedUnitCount = 100
        #expect(left.isFinished)
        #expect(root.completedUnitCount == 3)
        right.completedUnitCount = 10
        #expect(root.isFinished)
        #expect(root.fractionCompleted == 1)
    }

    @Test("more completed than total units count as complete, and without a total there is no fraction")
    func odd() {
        let progress = LoadProgress(totalUnitCount: 3)
        progress.completedUnitCount = 7
        #expect(progress.completedUnitCount == 7)
        #expect(progress.fractionCompleted == 1)
        #expect(progress.isFinished)
        progress.totalUnitCount = 14
        #expect(progress.fractionCompleted == 0.5)
        #expect(!progress.isFinished)
        progress.completedUnitCount = -1
        #expect(progress.fractionCompleted == 0)

        let unknown = LoadProgress()
        unknown.completedUnitCount = .max
        #expect(unknown.isIndeterminate && !unknown.isFinished && unknown.fractionCompleted == 0)
        let empty = LoadProgress(totalUnitCount: 0)
        #expect(empty.isIndeterminate && !empty.isFinished)
        empty.completedUnitCount = 1
        #expect(!empty.isIndeterminate && empty.isFinished)

        let crowded = LoadProgress(totalUnitCount: 1)
        for _ in 0..<3 {
            let child = LoadProgress(totalUnitCount: 1)
            crowded.addChild(child, withPendingUnitCount: .max)
            child.completedUnitCount = 1
        }
        #expect(crowded.fractionCompleted <= 1)
    }

    @Test("a child that is complete when it is added counts at once")
    func finishedChild() {
        let parent = LoadProgress(totalUnitCount: 2)
        let child = LoadProgress(totalUnitCount: 1)
        child.completedUnitCount = 1
        parent.addChild(child, withPendingUnitCount: 2)
        #expect(parent.isFinished)
    }

    @Test("a progress has one parent for its lifetime, and is never its own descendant")
    func tree() {
        let (first, second) = (LoadProgress(totalUnitCount: 2), LoadProgress(totalUnitCount: 2))
        let child = LoadProgress(totalUnitCount: 1)
        first.addChild(child, withPendingUnitCount: 1)
        first.addChild(child, withPendingUnitCount: 1)
        second.addChild(child, withPendingUnitCount: 1)
        child.addChild(first, withPendingUnitCount: 1)
        child.addChild(child, withPendingUnitCount: 1)
        child.completedUnitCount = 1
        #expect(first.completedUnitCount == 1)
        #expect(second.completedUnitCount == 0)
        first.cancel()
        #expect(!second.isCancelled)
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

    @Test("cancelling a child affects neither its parent nor the other children")
    func cancelChild() {
        let parent = LoadProgress(totalUnitCount: 2)
        let (one, other) = (LoadProgress(), LoadProgress())
        parent.addChild(one, withPendingUnitCount: 1)
        parent.addChild(other, withPendingUnitCount: 1)
        one.cancel()
        #expect(one.isCancelled && !parent.isCancelled && !other.isCancelled)
    }

    @Test("a parent retains its children, and a child does not retain its parent")
    func lifetimes() {
        let cancelled = Counter()
        let child: LoadProgress
        do {
            let parent = LoadProgress(totalUnitCount: 1)
            let forgotten = LoadProgress()
            forgotten.cancellationHandler = { cancelled.increment() }
            parent.addChild(forgotten, withPendingUnitCount: 1)
            child = LoadProgress(totalUnitCount: 1)
            parent.addChild(child, withPendingUnitCount: 1)
            parent.cancel()
        }
        #expect(cancelled.value == 1)
        child.completedUnitCount = 1
        // The parent is deallocated, so the child can get another one.
        let next = LoadProgress(totalUnitCount: 1)
        next.addChild(child, withPendingUnitCount: 1)
        #expect(next.isFinished)
    }

    @Test("a cancellation handler may use the progress, and is released after it has run")
    func handler() {
        final class Thing: Sendable {}
        let progress = LoadProgress()
        weak var weakThing: Thing?
        do {
            let thing = Thing()
            weakThing = thing
            progress.cancellationHandler = { [weak progress] in
                withExtendedLifetime(thing) {}
                #expect(progress?.isCancelled == true)
                progress?.cancel()
                progress?.completedUnitCount = 1
            }
        }
        #expect(weakThing != nil)
        progress.cancel()
        #expect(weakThing == nil)
        #expect(progress.cancellationHandler == nil)
    }

    @Test("of many simultaneous cancels only one calls the handler")
    func race() async {
        for _ in 0..<100 {
            let calls = Counter()
            let progress = LoadProgress()
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { progress.cancel() } }
                group.addTask { progress.cancellationHandler = { calls.increment() } }
            }
            #expect(calls.value == 1)
        }
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

    @Test("the last snapshot is the final state, even if several threads change the progress")
    func lastSnapshot() async {
        for _ in 0..<200 {
            let progress = LoadProgress(totalUnitCount: 10)
            let snapshots = progress.snapshots
            await withTaskGroup { group in
                for _ in 0..<4 { group.addTask { progress.totalUnitCount = 10 } }
                group.addTask { progress.completedUnitCount = 10 }
            }
            var last: LoadProgress.Snapshot?
            for await snapshot in snapshots { last = snapshot }
            #expect(last?.isFinished == true)
        }
    }

    @Test("snapshots end when the progress is cancelled or deallocated")
    func endOfSnapshots() async {
        let progress = LoadProgress()
        let snapshots = progress.snapshots
        progress.cancel()
        var last: LoadProgress.Snapshot?
        for await snapshot in snapshots { last = snapshot }
        #expect(last?.isCancelled == true)

        let orphaned = LoadProgress().snapshots
        var count = 0
        for await snapshot in orphaned {
            #expect(!snapshot.isCancelled)
            count += 1
        }
        #expect(count == 1)
    }

    @Test("a load whose source has reported full progress is not finished, and can be cancelled")
    func reportedWhole() async throws {
        let (reported, isCancelled) = (Gate(), Gate())
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { completion in
            let own = LoadProgress(totalUnitCount: 4)
            own.completedUnitCount = 4
            own.cancellationHandler = {
                isCancelled.open()
                completion(nil, nil)
            }
            return own
        }
        let progress = LoadProgress()
        let snapshots = progress.snapshots
        let load = Task { try await provider.loadData(for: .data, progress: progress) }
        let watcher = Task {
            var last: LoadProgress.Snapshot?
            for await snapshot in snapshots {
                if snapshot.fractionCompleted == 1 { reported.open() }
                last = snapshot
            }
            return last
        }
        await reported.wait()
        #expect(!progress.isFinished)
        progress.cancel()
        await isCancelled.wait()
        await expectError(.cancelled) { try await load.value }
        let last = await watcher.value
        #expect(last?.isCancelled == true)
        #expect(last?.isFinished == false)
    }

    @Test("a load that fails ends its snapshots unfinished, even if it fails at once")
    func failed() async throws {
        struct Broken: Error {}
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .plainText) { throw Broken() }
        for type in [UniformType.plainText, .png] {
            let progress = LoadProgress()
            await #expect(throws: PasteboardError.self) { try await provider.loadData(for: type, progress: progress) }
            var last: LoadProgress.Snapshot?
            for await snapshot in progress.snapshots { last = snapshot }
            #expect(last?.isFinished == false)
            // Nothing is left to cancel.
            progress.cancel()
            #expect(!progress.isCancelled)
        }
        let progress = provider.loadObject(ofClass: URL.self) { _, _ in }
        for await _ in progress.snapshots {}
        #expect(!progress.isFinished)
    }

    @Test("a parent adds up the progress of its loads, and cancelling it cancels the open ones")
    func loads() async throws {
        let (asked, never, ended) = (Gate(), Gate(), Gate())
        let provider = ItemProvider(object: "text")
        provider.registerDataRepresentation(for: .png) {
            asked.open()
            await never.wait()
            return Data()
        }
        let parent = LoadProgress(totalUnitCount: 2)
        let loaded = Gate()
        parent.addChild(
            provider.loadObject(ofClass: String.self) { text, _ in
                #expect(text == "text")
                loaded.open()
            },
            withPendingUnitCount: 1
        )
        parent.addChild(
            provider.loadDataRepresentation(for: .png) { _, error in
                #expect((error as? PasteboardError)?.code == .cancelled)
                ended.open()
            },
            withPendingUnitCount: 1
        )
        await loaded.wait()
        await asked.wait()
        #expect(parent.fractionCompleted == 0.5)
        parent.cancel()
        await ended.wait()
        never.open()
    }
}
