internal import Synchronization

extension SharedMimeInfo {
    private enum Source {
        case none
        case provider(@Sendable () -> SharedMimeInfo?)
        case read(SharedMimeInfo?)
    }

    private static let source = Guarded(Source.none)

    /// Sets the source of the database for the whole process. Only the first call has an effect.
    ///
    /// `provider` is called at the first lookup that neither the table nor the program's declarations can answer. So a
    /// program that uses only types of the table never waits for files. It runs under no lock. Threads that need it at
    /// the same time may each call it; then all use the result that was returned first.
    package static func install(_ provider: @escaping @Sendable () -> SharedMimeInfo?) {
        source.withLock { source in
            if case .none = source { source = .provider(provider) }
        }
    }

    /// The database of this process; nil if there is none, or if no provider is installed.
    static var current: SharedMimeInfo? {
        switch source.withLock({ $0 }) {
        case .none: return nil
        case .read(let database): return database
        case .provider(let provider):
            let database = provider()
            return source.withLock { source in
                if case .read(let first) = source { return first }
                source = .read(database)
                return database
            }
        }
    }

    /// The matches that were determined earlier, so that each is searched once. The cache is emptied at a size that no
    /// program should need.
    private static let matches = Guarded<[IdentifierKey: Match?]>([:])
    private static let matchLimit = 1024

    /// The match of a dynamic type in the database of this process.
    static func match(for type: DynamicType, identifier: String) -> Match? {
        let key = IdentifierKey(identifier)
        if let match = matches.withLock({ $0[key] }) { return match }
        guard let match = current.map({ $0.match(for: type) }) else { return nil }
        matches.withLock { matches in
            if matches.count >= matchLimit { matches = [:] }
            matches[key] = .some(match)
        }
        return match
    }
}
