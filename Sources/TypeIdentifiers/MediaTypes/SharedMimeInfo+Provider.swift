internal import Synchronization

extension SharedMimeInfo {
    private enum Source {
        case none
        case provider(@Sendable () -> SharedMimeInfo?)
        case read(SharedMimeInfo?)
    }

    private static let source = Guarded(Source.none)

    /// Says where the database comes from, process wide; the first call counts.
    ///
    /// `provider` is called at the first question that neither the table nor the program's declarations answer: nobody
    /// waits for files who asks only for types of the table. It runs under no lock; threads that ask at the same moment may
    /// each call it, and what the first one returns is then used by all.
    package static func install(_ provider: @escaping @Sendable () -> SharedMimeInfo?) {
        source.withLock { source in
            if case .none = source { source = .provider(provider) }
        }
    }

    /// The database of this process; nil where there is none, and where nobody reads it.
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

    /// Answers that were given, so that each is looked for once. It starts anew at a size that no program should need.
    private static let matches = Guarded<[IdentifierKey: Match?]>([:])
    private static let matchLimit = 1024

    /// What the database of this process takes a dynamic type for.
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
