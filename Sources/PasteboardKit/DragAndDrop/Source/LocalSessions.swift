import PasteboardTransport

/// The sessions that this process has begun and that have not ended, so that its own destinations find them.
///
/// A broker sends the same handle of a session to its source and to its destinations. Handles of different brokers may
/// be equal, but their epochs differ.
final class LocalSessions: Sendable {
    struct Key: Hashable, Sendable {
        let epoch: UInt64
        let handle: UInt64
    }

    static let shared = LocalSessions()

    private let sessions = Lock<[Key: DragRequest]>([:])

    subscript(key: Key) -> DragRequest? { sessions.withLock { $0[key] } }

    func insert(_ request: DragRequest, for key: Key) {
        sessions.withLock { $0[key] = request }
    }

    func remove(_ key: Key) {
        // The value is released after unlocking: it may be the last reference.
        let removed = sessions.withLock { $0.removeValue(forKey: key) }
        withExtendedLifetime(removed) {}
    }
}
