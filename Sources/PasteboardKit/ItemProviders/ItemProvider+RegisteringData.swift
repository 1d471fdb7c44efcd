public import FoundationEssentials
import PasteboardTransport

// A handler runs when somebody loads: once per load and perhaps several times at once, unless its policy says otherwise,
// on threads of the library that it may block. A type that is registered again keeps its position and gets the new handler.
// What is registered after a provider was written to a pasteboard is for later writes.
//
// Each takes, beside its own arguments:
// - visibility: who may see that there is such a representation.
// - policy: how often the handler is asked.
// - firstByteTimeout: how long the handler may take until it gives the first byte or reports progress, at most 10 minutes;
//   without it, 30 s. A timeout of the load itself counts instead.
extension ItemProvider {
    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - typeIdentifier: for example `public.png`.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take for the first byte or report of progress, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: is asked for the bytes, and calls its completion once, then or later, with the bytes or an error;
    ///     of both the error counts, and of several calls the first. It may return a progress: what is reported there
    ///     reaches the destination and keeps a slow load alive, and it is cancelled when nobody wants the bytes any more.
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
        register(
            UniformType(importedAs: typeIdentifier),
            visibility,
            .init(.callback(loadHandler), policy, firstByteTimeout: firstByteTimeout)
        )
    }

    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take for the first byte or report of progress, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: as that of
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
        register(contentType, visibility, .init(.callback(loadHandler), policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the bytes, in a task that is cancelled when nobody wants them any more. What it throws is
    ///     told to the destination.
    public func registerDataRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable () async throws -> Data
    ) {
        let handler = DataHandler.async { .data(try await loadHandler()) }
        register(contentType, visibility, .init(handler, policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as data of a type, with progress for a handler that takes long.
    ///
    ///     provider.registerDataRepresentation(for: .png) { progress in
    ///         progress.totalUnitCount = Int64(image.rows.count)
    ///         for row in image.rows {
    ///             try encoder.encode(row)
    ///             progress.completedUnitCount += 1
    ///         }
    ///         return encoder.data
    ///     }
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take for the first byte or report of progress, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the bytes. The progress that it reports, in any unit, is passed on to the destination and
    ///     keeps a slow load alive. When the load is cancelled, its task and the progress are cancelled. An error that it
    ///     throws is passed on to the destination.
    public func registerDataRepresentation(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable (_ progress: LoadProgress) async throws -> Data
    ) {
        let handler = DataHandler.reporting { .data(try await loadHandler($0)) }
        register(contentType, visibility, .init(handler, policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as data of a type that is made in memory which can be handed over as it is: the fastest way for
    /// many bytes that are made when they are asked for.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked. With `onceAndKept` the bytes are sent once to the broker. It keeps a copy
    ///     in its own memory, within its limit, and passes that on at each load. To avoid this copy, use `everyTime` and
    ///     return the same memory at each load.
    ///   - firstByteTimeout: how long it may take, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the memory, or returns memory that it made before, in a task that is cancelled with the
    ///     load. An error that it throws is passed on to the destination.
    public func registerSharedMemory(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable () async throws -> SharedMemory
    ) {
        let handler = DataHandler.async { .file(SourceFile(try await loadHandler())) }
        register(contentType, visibility, .init(handler, policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as data of a type that is made in shared memory, with progress.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked. With `onceAndKept` the bytes are sent once to the broker. It keeps a copy
    ///     in its own memory, within its limit, and passes that on at each load. To avoid this copy, use `everyTime` and
    ///     return the same memory at each load.
    ///   - firstByteTimeout: how long it may take until it is done or reports progress, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the memory, or returns memory that it made before. The progress that it reports is passed on
    ///     to the destination and keeps a slow load alive. When the load is cancelled, its task and the progress are
    ///     cancelled. An error that it throws is passed on to the destination.
    public func registerSharedMemory(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        loadHandler: @escaping @Sendable (_ progress: LoadProgress) async throws -> SharedMemory
    ) {
        let handler = DataHandler.reporting { .file(SourceFile(try await loadHandler($0))) }
        register(contentType, visibility, .init(handler, policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as data of a type that is made chunk by chunk: what a destination does not take yet is not made
    /// yet, and none of it has to fit into memory.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: who may see that there is such a representation.
    ///   - policy: how often the handler is asked.
    ///   - firstByteTimeout: how long it may take for the first byte or report of progress, at most 10 minutes; nil: 30 s.
    ///     After that, 10 s without bytes or report end the load, while there is room for bytes.
    ///   - byteCount: how many there will be, if that is known: a destination can show it, and a load that gets another
    ///     number fails.
    ///   - loadHandler: writes the bytes, and returns after the last; what it throws is told to the destination. Its task
    ///     is cancelled when nobody wants them any more.
    public func registerByteStream(
        for contentType: UniformType,
        visibility: ItemProviderRepresentationVisibility = .all,
        policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        byteCount: Int64? = nil,
        loadHandler: @escaping @Sendable (ByteWriter) async throws -> Void
    ) {
        let handler = DataHandler.byteStream(byteCount: byteCount.map { UInt64(clamping: $0) }, loadHandler)
        register(contentType, visibility, .init(handler, policy, firstByteTimeout: firstByteTimeout))
    }

    func register(
        _ type: UniformType,
        _ visibility: ItemProviderRepresentationVisibility,
        fileOptions: ItemProviderFileOptions = [],
        _ registration: ProviderContents.Registration
    ) {
        let representation = ProviderContents.Representation(
            type,
            visibility,
            fileOptions: fileOptions,
            origin: .handler(registration)
        )
        // What a replaced handler has captured goes once the lock is free.
        let before = state.withLock { contents in
            let before = contents
            contents.register(representation)
            return before
        }
        withExtendedLifetime(before) {}
    }
}

/// How often a handler is asked.
public enum LoadPolicy: Sendable {
    /// At each load, and at several at once if there are several: what NSItemProvider does.
    case everyTime
    /// Once, by the first load that succeeds: loads at the same time share it, later ones get the same bytes, and the
    /// broker keeps them, so that they outlive this process until the pasteboard is written again. A call that fails, or
    /// that the last of its loads has cancelled, does not count.
    case onceAndKept
}
