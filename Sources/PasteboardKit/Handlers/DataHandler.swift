import FoundationEssentials

/// What a source registers to make the bytes of one representation.
enum DataHandler: Sendable {
    typealias Completion = @Sendable (Data?, (any Error)?) -> Void
    typealias FileCompletion = @Sendable (URL?, Bool, (any Error)?) -> Void

    case callback(@Sendable (@escaping Completion) -> LoadProgress?)
    case async(@Sendable () async throws -> Data)
    case file(@Sendable (@escaping FileCompletion) -> LoadProgress?)
    case asyncFile(@Sendable () async throws -> URL)
    case memory(@Sendable () async throws -> SharedMemory)
    /// Returns once all has been written.
    case byteStream(byteCount: UInt64?, @Sendable (ByteWriter) async throws -> Void)
    /// The bytes of another process's item; what that reports is passed on.
    case opened(@Sendable (LoadProgress) async throws -> OpenedLoad)
    /// One of these, asked once for all loads.
    case once(OnceHandler)
}
