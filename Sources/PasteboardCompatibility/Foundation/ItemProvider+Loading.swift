public import Foundation
public import PasteboardKit

// Loads with a completion handler. It is called once, with the value or with an error, on a thread of the library,
// which it may block. All of them return the progress of the load, immediately; cancelling it ends the load with the
// error `cancelled`.
extension ItemProvider {
    /// Loads the bytes into memory and calls the completion handler.
    @discardableResult
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        loadDataRepresentation(for: UniformType(importedAs: typeIdentifier), completionHandler: completionHandler)
    }

    /// Loads the bytes into memory and calls the completion handler.
    @discardableResult
    public func loadDataRepresentation(
        for contentType: UniformType,
        completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress {
        beginLoad { progress in
            do throws(PasteboardError) {
                completionHandler(try await self.loadData(for: contentType, progress: progress), nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    /// Loads the bytes into a file and calls the completion handler. The file is removed when the completion handler
    /// returns, as with NSItemProvider: to keep the file, move, link or copy it.
    @discardableResult
    public func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> LoadProgress {
        loadFileRepresentation(for: UniformType(importedAs: typeIdentifier)) { url, _, error in
            completionHandler(url, error)
        }
    }

    /// Loads the bytes into a file, or uses the source's own file, and calls the completion handler: with the file and
    /// whether it is the source's own. A copy is removed when the completion handler returns.
    @discardableResult
    public func loadFileRepresentation(
        for contentType: UniformType,
        openInPlace: Bool = false,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> LoadProgress {
        beginLoad { progress in
            do {
                try await self.withLoadedFile(for: contentType, openInPlace: openInPlace, progress: progress) {
                    completionHandler($0.value, $0.isInPlace, nil)
                }
            } catch {
                completionHandler(nil, false, error)
            }
        }
    }

    /// Uses the source's own file if possible, otherwise loads a copy, as
    /// ``loadFileRepresentation(for:openInPlace:completionHandler:)`` with `openInPlace` does.
    @discardableResult
    public func loadInPlaceFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> LoadProgress {
        let type = UniformType(importedAs: typeIdentifier)
        return loadFileRepresentation(for: type, openInPlace: true, completionHandler: completionHandler)
    }

    /// Runs a load and then the completion handler. If the value cannot be made of what was loaded, a drop that moves
    /// the item leaves it at its source.
    func startLoad<Value>(
        _ load: @escaping @Sendable (LoadProgress) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> LoadProgress {
        beginLoad { progress in
            do {
                completion(.success(try await load(progress)))
            } catch {
                if !(error is PasteboardError) { progress.failDrop("cannot make \(Value.self): \(error)") }
                completion(.failure(error))
            }
        }
    }

    /// Whether an object of the class can be loaded, as `canLoad(_:)` says.
    public func canLoadObject(ofClass aClass: any ItemProviderReading.Type) -> Bool { canLoad(aClass) }

    /// Loads an object and calls the completion handler, with the object or an error: a `PasteboardError`, or the error
    /// that the class threw for the bytes.
    @discardableResult
    public func loadObject<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completionHandler: @escaping @Sendable (_ object: sending T?, _ error: (any Error)?) -> Void
    ) -> LoadProgress {
        beginLoad { progress in
            let loaded: Loaded<Data>
            do {
                loaded = try await self.loadData(readBy: T.self, progress: progress)
            } catch {
                return completionHandler(nil, error)
            }
            do {
                let object = try T.object(withItemProviderData: loaded.value, typeIdentifier: loaded.type.identifier)
                completionHandler(object, nil)
            } catch {
                progress.failDrop("cannot make \(T.self) from the loaded bytes: \(error)")
                completionHandler(nil, error)
            }
        }
    }
}
