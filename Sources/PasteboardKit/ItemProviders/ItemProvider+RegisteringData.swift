public import FoundationEssentials
import PasteboardTransport

// A handler runs at a load, perhaps several times at once; with the policy `onceAndKept` once for a broker. It
// runs on threads of the library that it may block. A type that is registered again keeps its position and gets the new
// handler. A representation that is registered after the provider was written to a pasteboard applies only to later
// writes.
//
// Parameters that all methods share:
// - visibility: the processes that may see the representation.
// - policy: whether the handler runs for each load or only once.
// - firstByteTimeout: the maximum time until the handler provides the first byte or reports progress, at most 10
//   minutes; nil: 30 s. If the load itself has a timeout, that applies instead.
extension ItemProvider {
    /// Promises the item as data of a type.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the handler returns, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the bytes, in a task that is cancelled when they are no longer needed. An error that it
    ///     throws is passed on to the destination.
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

    /// Promises the item as data of a type, from a handler that reports its progress because it may take long.
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
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the first byte or progress report, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the bytes. The progress that it reports, in any unit, is passed on to the destination and
    ///     keeps a slow load alive. When the load is cancelled, its task and the progress are cancelled. An error that
    ///     it throws is passed on to the destination.
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

    /// Promises the item as data of a type, in memory that can be passed without a copy. It is the fastest way for
    /// large data that is made at a load.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once. With `onceAndKept` the bytes are sent to the
    ///     broker once. The broker keeps a copy in its own memory, within its limit, and sends that copy at each load.
    ///     To avoid the copy, use `everyTime` and return the same memory at each load.
    ///   - firstByteTimeout: the maximum time until the handler returns, at most 10 minutes; nil: 30 s.
    ///   - loadHandler: makes the memory, or returns memory that it made before. It runs in a task that is cancelled
    ///     with the load. An error that it throws is passed on to the destination.
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

    /// Promises the item as data of a type, from a handler that writes it chunk by chunk. The handler waits while the
    /// destination does not take the bytes, so the data need not fit into memory.
    ///
    /// - Parameters:
    ///   - contentType: the type of the bytes.
    ///   - visibility: the processes that may see the representation.
    ///   - policy: whether the handler runs for each load or only once.
    ///   - firstByteTimeout: the maximum time until the first byte or progress report, at most 10 minutes; nil: 30 s.
    ///     After that, the load fails after 10 s without bytes or a report, unless the handler waits for room.
    ///   - byteCount: the number of bytes, if it is known. A destination can show it, and a load that gets another
    ///     number of bytes fails.
    ///   - loadHandler: writes the bytes, and returns after the last one. An error that it throws is passed on to the
    ///     destination. Its task is cancelled when the bytes are no longer needed.
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

    /// Promises the item as data of a type, which a handler passes to a callback.
    package func register(
        _ type: UniformType,
        _ visibility: ItemProviderRepresentationVisibility,
        _ policy: LoadPolicy = .everyTime,
        firstByteTimeout: Duration? = nil,
        data handler:
            @escaping @Sendable (_ completion: @escaping @Sendable (Data?, (any Error)?) -> Void) -> LoadProgress?
    ) {
        register(type, visibility, .init(.callback(handler), policy, firstByteTimeout: firstByteTimeout))
    }

    /// Promises the item as a file or folder of a type, which a handler passes to a callback.
    package func register(
        _ type: UniformType,
        _ visibility: ItemProviderRepresentationVisibility,
        opensInPlace: Bool,
        _ policy: LoadPolicy,
        firstByteTimeout: Duration?,
        file handler:
            @escaping @Sendable (_ completion: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> LoadProgress?
    ) {
        let registration = ProviderContents.Registration(.file(handler), policy, firstByteTimeout: firstByteTimeout)
        register(type, visibility, opensInPlace: opensInPlace, registration)
    }

    func register(
        _ type: UniformType,
        _ visibility: ItemProviderRepresentationVisibility,
        opensInPlace: Bool = false,
        _ registration: ProviderContents.Registration
    ) {
        let representation = ProviderContents.Representation(
            type,
            visibility,
            opensInPlace: opensInPlace,
            origin: .handler(registration)
        )
        // The values that a replaced handler has captured are released after unlocking.
        let before = state.withLock { contents in
            let before = contents
            contents.register(representation)
            return before
        }
        withExtendedLifetime(before) {}
    }
}

/// Whether a handler runs for each load or only once for all loads through a broker.
public enum LoadPolicy: Sendable {
    /// The handler runs at each load, and several times at once if there are several loads, as in NSItemProvider.
    case everyTime
    /// The handler runs once for each write, at the first load through the broker. Concurrent loads share its run, and
    /// later loads get the same bytes. The broker keeps them, so that they outlive this process until the pasteboard is
    /// written again. If the run fails, or all of its loads are cancelled, the next load runs the handler again; so
    /// does the next broker if the bytes were lost with this one. Loads of the provider in its own process run it each
    /// time, and a hand-over does if the broker does not have the bytes yet.
    case onceAndKept
}
