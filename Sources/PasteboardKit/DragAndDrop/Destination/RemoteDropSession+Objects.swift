import FoundationEssentials
import PasteboardTransport

extension RemoteDropSession {
    /// Loads objects as ``load(_:options:progress:)`` does. The drop is complete only after the completion has
    /// returned.
    ///
    /// - Returns: the progress of the loads.
    package func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        completion: @escaping @MainActor (_ objects: sending [T]) -> Void
    ) -> LoadProgress {
        let loads = ObjectLoads(items, readBy: aClass, LoadOptions(), progress: LoadProgress())
        let hold = holdConclusion()
        Task(executorPreference: ThreadPool.completions) {
            let (objects, _) = await self.objects(T.self, of: await loads.run())
            await completion(objects)
            hold.release()
        }
        return loads.progress
    }

    package func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> sending [T] {
        let loads = ObjectLoads(items, readBy: aClass, options, progress: progress ?? LoadProgress())
        // The bytes that arrive may be unusable, and the drop must not be complete before that is known.
        let hold = holdConclusion()
        defer { hold.release() }
        let results = await withTaskCancellationHandler {
            await loads.run()
        } onCancel: {
            loads.progress.cancel()
        }
        if Task.isCancelled { throw .cancelled }
        let (objects, error) = await objects(T.self, of: results)
        if objects.isEmpty, let error { throw error }
        return objects
    }

    /// Returns the objects that could be made, and the first error.
    private func objects<T: ItemProviderReading>(
        _ aClass: T.Type,
        of results: [ObjectLoads.Outcome]
    ) async -> sending ([T], PasteboardError?) {
        var objects: [T] = []
        var first: PasteboardError?
        for result in results {
            switch result {
            case .failure(let error):
                first = first ?? error
            case .success(let loaded):
                do {
                    objects.append(try await loaded.object(T.self))
                } catch {
                    let error = error as? PasteboardError ?? .unreadable(loaded.type, "\(error)")
                    window.fail(error.message)
                    first = first ?? error
                }
            }
        }
        return (objects, first)
    }
}

/// The loads of objects of one class, from all items that have a suitable type.
private final class ObjectLoads: Sendable {
    typealias Outcome = Result<Loaded<Data>, PasteboardError>

    let progress: LoadProgress
    private let aClass: any ItemProviderReading.Type
    private let options: LoadOptions
    private let parts: [(item: ItemProvider, progress: LoadProgress)]

    /// Makes the calls for the loads. `run()` begins the loads.
    init(
        _ items: [DragItem],
        readBy aClass: any ItemProviderReading.Type,
        _ options: LoadOptions,
        progress: LoadProgress
    ) {
        let items = items.map(\.itemProvider).filter { $0.canLoad(aClass) }
        progress.totalUnitCount = Int64(items.count)
        parts = items.map { item in
            let part = LoadProgress(of: item.dropCall())
            progress.addChild(part, withPendingUnitCount: 1)
            return (item, part)
        }
        progress.begin {}
        self.progress = progress
        self.aClass = aClass
        self.options = options
    }

    /// - Returns: the results, in the order of the items.
    func run() async -> [Outcome] {
        let results = await withTaskGroup(of: (Int, Outcome).self) { [aClass, options] group in
            for (index, part) in parts.enumerated() {
                group.addTask {
                    defer { part.progress.call?.release() }
                    do throws(PasteboardError) {
                        let loaded = try await part.item.loadData(readBy: aClass, options, progress: part.progress)
                        return (index, .success(loaded))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [Int: Outcome]()) { $0[$1.0] = $1.1 }
        }
        let ordered = parts.indices.compactMap { results[$0] }
        let isComplete = ordered.allSatisfy { if case .success = $0 { true } else { false } }
        progress.end(byteCount: isComplete ? 0 : nil)
        return ordered
    }
}
