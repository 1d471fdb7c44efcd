import FoundationEssentials

/// What a source registers to make the bytes of one representation.
enum DataHandler: Sendable {
    typealias Completion = @Sendable (Data?, (any Error)?) -> Void
    typealias FileCompletion = @Sendable (URL?, Bool, (any Error)?) -> Void

    case callback(@Sendable (@escaping Completion) -> LoadProgress?)
    case file(@Sendable (@escaping FileCompletion) -> LoadProgress?)
    case async(@Sendable () async throws -> HandlerResult)
    /// An async handler that reports progress. The progress is passed on to the destination and cancelled with the task.
    case reporting(@Sendable (LoadProgress) async throws -> HandlerResult)
    /// Returns once all has been written.
    case byteStream(byteCount: UInt64?, @Sendable (ByteWriter) async throws -> Void)
    /// One of these, asked once for all loads.
    case once(OnceHandler)
}
