import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// An object that writes itself when its gate opens, and reports progress.
private struct SlowNote: ItemProviderWriting {
    static let writableTypeIdentifiersForItemProvider = ["public.utf8-plain-text"]
    let isAsked: Gate
    let isCancelled: Gate
    let goesOn: Gate

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        let progress = LoadProgress(totalUnitCount: 2)
        progress.completedUnitCount = 1
        progress.cancellationHandler = { isCancelled.open() }
        Task {
            isAsked.open()
            await goesOn.wait()
            completionHandler(Data("slow".utf8), nil)
        }
        return progress
    }
}

@Suite(.inProcess)
struct ObjectsLazyProgressTests {
    private let isAsked = Gate()
    private let isCancelled = Gate()
    private let goesOn = Gate()
    private let handlerIsAsked = Gate()
    private let handlerIsCancelled = Gate()
    private let handlerGoesOn = Gate()

    private var provider: ItemProvider {
        let provider = ItemProvider()
        let note = SlowNote(isAsked: isAsked, isCancelled: isCancelled, goesOn: goesOn)
        provider.registerObject(ofClass: SlowNote.self, visibility: .all) { completion in
            let progress = LoadProgress(totalUnitCount: 4)
            progress.completedUnitCount = 1
            progress.cancellationHandler = { handlerIsCancelled.open() }
            Task {
                handlerIsAsked.open()
                await handlerGoesOn.wait()
                completion(note, nil)
            }
            return progress
        }
        return provider
    }

    @Test("the first half of a load's progress is making the object, and the second half is writing it")
    func halves() async throws {
        let progress = LoadProgress()
        let snapshots = progress.snapshots
        let watcher = Task {
            for await snapshot in snapshots {
                // 0.125 is one quarter of the first half. The rest of it and one half of the second half follow.
                if snapshot.fractionCompleted == 0.125 { handlerGoesOn.open() }
                if snapshot.fractionCompleted == 0.75 { goesOn.open() }
            }
        }
        let loaded = try await provider.loadData(for: .text, progress: progress)
        #expect(loaded == Data("slow".utf8))
        #expect(progress.isFinished)
        await watcher.value
    }

    @Test("cancelling reaches the handler while it makes the object, and nothing is written then")
    func cancelMaking() async throws {
        let progress = LoadProgress()
        let load = Task { try await provider.loadData(for: .text, progress: progress) }
        await handlerIsAsked.wait()
        progress.cancel()
        await expectError(.cancelled) { try await load.value }
        await handlerIsCancelled.wait()
        handlerGoesOn.open()
    }

    @Test("cancelling reaches the object while it writes itself")
    func cancelWriting() async throws {
        handlerGoesOn.open()
        let progress = LoadProgress()
        let load = Task { try await provider.loadData(for: .text, progress: progress) }
        await isAsked.wait()
        progress.cancel()
        await expectError(.cancelled) { try await load.value }
        await isCancelled.wait()
        goesOn.open()
    }
}
