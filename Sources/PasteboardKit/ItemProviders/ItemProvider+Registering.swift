public import FoundationEssentials
import PasteboardTransport

// A handler runs at each load, once per load and perhaps several times at once, on threads of the library that it may
// block. A type that is registered again keeps its place and gets the new handler. What is registered after a provider
// was written to a pasteboard is for later writes.
extension ItemProvider {
    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: for example `public.png`.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: is asked for the bytes at each load, and calls its completion once, then or later, with the bytes
    ///     or an error; of both the error counts, and of several calls the first. It may return a progress: what is
    ///     reported there reaches the destination and keeps a slow load alive, and it is cancelled when nobody wants the
    ///     bytes any more.
    public func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(UniformType(importedAs: typeIdentifier), visibility, .callback(loadHandler))
    }

    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: as that of ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
    public func registerDataRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(contentType, visibility, .callback(loadHandler))
    }

    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: makes the bytes at each load, in a task that is cancelled when nobody wants them any more. What it
    ///     throws is told to the destination.
    public func registerDataRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping @Sendable () async throws -> Data
    ) {
        register(contentType, visibility, .async(loadHandler))
    }

    /// Promises the item as a file of a type, for bytes that are in a file already.
    ///
    /// The file is opened when the handler calls its completion, and its descriptor is handed to the destination, which
    /// reads it: nothing is copied. Where no descriptor can be passed the bytes are sent. The handler may remove the file
    /// once its completion has returned, but must not write or shorten it: a load that finds it shorter fails.
    ///
    /// - Parameters:
    ///   - typeIdentifier: for example `public.mpeg-4`.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: is asked for the file at each load, and calls its completion once, then or later, with the file's
    ///     URL or an error. The flag, whether access is coordinated, has no effect here. It may return a progress, as that
    ///     of ``registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
    public func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(UniformType(importedAs: typeIdentifier), visibility, .file(loadHandler))
    }

    /// Promises the item as a file of a type, for bytes that are in a file already.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: as that of ``registerFileRepresentation(forTypeIdentifier:visibility:loadHandler:)``.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler:
            @escaping @Sendable (
                _ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
            ) -> LoadProgress?
    ) {
        register(contentType, visibility, .file(loadHandler))
    }

    /// Promises the item as a file of a type, for bytes that are in a file already.
    ///
    /// - Parameters:
    ///   - contentType: the type of the file's bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: finds or makes the file at each load, in a task that is cancelled when nobody wants it any more.
    ///     What it throws is told to the destination. The file is open once it has returned, and may be removed then.
    public func registerFileRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping @Sendable () async throws -> URL
    ) {
        register(contentType, visibility, .asyncFile(loadHandler))
    }

    /// Promises the item as data of a type that is made in memory which can be handed over as it is: the fastest way for
    /// many bytes that are made when they are asked for.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - loadHandler: makes the memory at each load, or gives one that it made before, in a task that is cancelled when
    ///     nobody wants it any more. What it throws is told to the destination.
    public func registerSharedMemory(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping @Sendable () async throws -> SharedMemory
    ) {
        register(contentType, visibility, .memory(loadHandler))
    }

    private func register(
        _ type: UniformType,
        _ visibility: ItemProviderRepresentationVisibility,
        _ handler: DataHandler
    ) {
        let representation = ProviderContents.Representation(
            type: type,
            visibility: visibility,
            origin: .handler(handler)
        )
        state.withLock { $0.register(representation) }
    }
}
