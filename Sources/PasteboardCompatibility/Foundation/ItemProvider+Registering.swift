public import Foundation
public import PasteboardKit

// Promises whose handlers call a completion handler.
extension ItemProvider {
    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type of the bytes, for example `public.png`.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the first byte or progress report, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: provides the bytes. It calls its completion handler once, before or after it returns, with the
    ///     bytes or an error. If it passes both, the error counts; only the first call counts. The load handler may
    ///     return a progress: reports to it are passed on to the destination and keep a slow load alive, and it is
    ///     cancelled when the bytes are no longer needed.
    public func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        let type = UniformType(importedAs: typeIdentifier)
        register(type, visibility, policy, firstByteTimeout: firstByteTimeout, data: loadHandler)
    }

    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the first byte or progress report, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: provides the bytes, as in
    ///     ``registerDataRepresentation(forTypeIdentifier:visibility:policy:firstByteTimeout:loadHandler:)``.
    public func registerDataRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(contentType, visibility, policy, firstByteTimeout: firstByteTimeout, data: loadHandler)
    }

    /// Promises the item as a file or folder of a type, as the method with `contentType` does.
    ///
    /// - Parameters:
    ///   - typeIdentifier: the type of the file's bytes, or of the folder, for example `public.mpeg-4`.
    ///   - fileOptions: whether a destination may open the file in place.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the file or a progress report, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: provides the file.
    public func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        fileOptions: ItemProviderFileOptions = [],
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        registerFileRepresentation(
            for: UniformType(importedAs: typeIdentifier),
            visibility: visibility,
            openInPlace: fileOptions.contains(.openInPlace),
            policy: policy,
            firstByteTimeout: firstByteTimeout,
            loadHandler: loadHandler
        )
    }

    /// Promises the item as a file or folder of a type, as the method of PasteboardKit with an `async` handler does.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes, or of the folder.
    ///   - visibility: the processes that may see the representation.
    ///   - openInPlace: whether a destination may open the file in place.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the file or a progress report, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: provides the file. It calls its completion handler once, before or after it returns, with the
    ///     file's URL or an error. The flag, whether access is coordinated, has no effect here. The load handler may
    ///     return a progress, as that of data does.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        openInPlace: Bool = false,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(
            contentType,
            visibility,
            opensInPlace: openInPlace,
            policy,
            firstByteTimeout: firstByteTimeout,
            file: loadHandler
        )
    }

    /// Promises the item as each of the types that the class can be written as, in the class's order. The object itself
    /// is made at a load.
    ///
    /// - Parameters:
    ///   - aClass: the class of the object that will be made.
    ///   - visibility: the processes that may see the representations. For each type, the stricter of this and the
    ///     class's own visibility applies.
    ///   - loadHandler: makes the object at each load, on a thread of the library that it may block. It calls its
    ///     completion handler once, before or after it returns, with the object or an error. If it passes both, the
    ///     error counts; only the first call counts. The object then writes itself. The load handler may return a
    ///     progress. That progress and the object's own are each half of the progress that the destination sees, and
    ///     both are cancelled when the bytes are no longer needed.
    public func registerObject<T: ItemProviderWriting>(
        ofClass aClass: T.Type,
        visibility: ItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (_ completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void) -> LoadProgress?
    ) {
        for (identifier, type) in missingTypes(of: T.writableTypeIdentifiersForItemProvider) {
            let own = T.itemProviderVisibilityForRepresentation(withTypeIdentifier: identifier)
            register(type, visibility.stricter(own)) { completion in
                LazyObjectLoad<T>(typeIdentifier: identifier, completion: completion).run(loadHandler)
            }
        }
    }
}
