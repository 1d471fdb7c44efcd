import Foundation
import PasteboardKit
import PasteboardTransport

/// One load of an object that does not exist yet: first the handler makes the object, then the object writes itself.
struct LazyObjectLoad<Object: ItemProviderWriting>: Sendable {
    typealias Completion = @Sendable (Object?, (any Error)?) -> Void

    let typeIdentifier: String
    let completion: @Sendable (Data?, (any Error)?) -> Void

    /// Starts the load; the progress is half the handler's and half the object's.
    func run(_ handler: @Sendable (@escaping Completion) -> LoadProgress?) -> LoadProgress {
        let progress = LoadProgress(totalUnitCount: 2)
        // The first half is complete when the object exists, whatever the handler has reported before.
        let firstHalf = LoadProgress(totalUnitCount: 1)
        progress.addChild(firstHalf, withPendingUnitCount: 1)
        let isFirst = Lock(true)
        let making = handler { object, error in
            let isCounted = isFirst.withLock { exchange(&$0, with: false) }
            guard isCounted else { return }
            firstHalf.completedUnitCount = 1
            // The handler may call its completion on a thread that must not block.
            ThreadPool.shared.run { self.write(object, error, progress) }
        }
        if let making { firstHalf.addChild(making, withPendingUnitCount: 1) }
        return progress
    }

    private func write(_ object: Object?, _ error: (any Error)?, _ progress: LoadProgress) {
        // A cancelled load has no use for the object.
        if progress.isCancelled { return completion(nil, error ?? PasteboardError.cancelled) }
        guard error == nil, let object else { return completion(nil, error ?? Self.noObject) }
        let writing = object.loadData(
            withTypeIdentifier: typeIdentifier,
            forItemProviderCompletionHandler: completion
        )
        if let writing { progress.addChild(writing, withPendingUnitCount: 1) }
    }

    private static var noObject: PasteboardError {
        .broken("the load handler completed with neither a \(Object.self) nor an error")
    }
}
