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
}

/// What a handler has made.
enum MadeBytes: Sendable {
    case data(Data)
    /// In a file already, which is passed on where a descriptor is welcome, else read.
    case file(SourceFile)

    /// All of it, for a load of this process.
    func contents() throws -> Data {
        switch self {
        case .data(let data): data
        case .file(let file): try file.contents()
        }
    }
}
