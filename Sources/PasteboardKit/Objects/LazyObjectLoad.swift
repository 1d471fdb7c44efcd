import FoundationEssentials
import PasteboardTransport

/// One load of an object that is made when it is asked for: first the handler makes it, then it writes itself.
struct LazyObjectLoad<Object: ItemProviderWriting>: Sendable {
    typealias Completion = @Sendable (Object?, (any Error)?) -> Void

    let typeIdentifier: String
    let completion: @Sendable (Data?, (any Error)?) -> Void

    /// Starts it; the progress is half the handler's and half the object's.
    func run(_ handler: @Sendable (@escaping Completion) -> LoadProgress?) -> LoadProgress {
        let progress = LoadProgress(totalUnitCount: 2)
        // The first half is over when the object is there, whatever the handler reported before.
        let firstHalf = LoadProgress(totalUnitCount: 1)
        progress.addChild(firstHalf, withPendingUnitCount: 1)
        let isFirst = Lock(true)
        let making = handler { object, error in
            let isCounted = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isCounted else { return }
            firstHalf.completedUnitCount = 1
            // The handler completes on any thread, perhaps one that must not block.
            HandlerPool.shared.run { self.write(object, error, progress) }
        }
        if let making { firstHalf.addChild(making, withPendingUnitCount: 1) }
        return progress
    }

    private func write(_ object: Object?, _ error: (any Error)?, _ progress: LoadProgress) {
        // What comes for a load that is cancelled is not wanted any more.
        if progress.isCancelled { return completion(nil, error ?? PasteboardError.cancelled) }
        guard error == nil, let object else { return completion(nil, error ?? Self.noObject) }
        let writing = object.loadData(
            withTypeIdentifier: typeIdentifier,
            forItemProviderCompletionHandler: completion
        )
        if let writing { progress.addChild(writing, withPendingUnitCount: 1) }
    }

    private static var noObject: PasteboardError {
        .broken("the load handler completed with neither a \(Object.self) nor an error", .unknownError)
    }
}
