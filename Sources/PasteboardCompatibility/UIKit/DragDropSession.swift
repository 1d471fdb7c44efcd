public import PasteboardKit

extension DragDropSession {
    /// Returns whether any item has one of the types, or a type that conforms to one of them.
    public func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool {
        typeIdentifiers.contains { canLoad(UniformType(importedAs: $0)) }
    }

    /// Returns whether an object of the class can be loaded from any of the items. It loads nothing.
    public func canLoadObjects(ofClass aClass: any ItemProviderReading.Type) -> Bool { canLoad(aClass) }
}

extension DropSession {
    /// Loads an object from each item that has a type the class reads. Call it while a drop is performed.
    ///
    /// - Parameters:
    ///   - aClass: the class of the objects. It reads the bytes on a thread of the library.
    ///   - completion: called once, with the objects in the order of their items. Items whose object could not be made
    ///     are left out, so the array may be empty. The drop is complete only after the completion has returned. If
    ///     bytes arrived but an object could not be made of them, the source deletes nothing.
    /// - Returns: the progress of the loads. Cancelling it leaves out the objects that have not arrived.
    @discardableResult
    public func loadObjects<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completion: @escaping @MainActor (_ objects: sending [T]) -> Void
    ) -> LoadProgress {
        if let session = self as? RemoteDropSession {
            return session.load(T.self, completion: completion)
        }
        // A session of a program's tests.
        let progress = LoadProgress()
        extendDropWindow {
            do {
                completion(try await self.load(T.self, options: LoadOptions(), progress: progress))
            } catch {
                completion([])
            }
        }
        return progress
    }
}
