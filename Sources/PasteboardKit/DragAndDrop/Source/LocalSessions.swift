import PasteboardTransport

/// The sessions that this process has begun and that are not over, so that its own destinations find them. A broker names
/// them alike to both sides; of two brokers the epochs differ.
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
        // What may go with it goes once the lock is free.
        let removed = sessions.withLock { $0.removeValue(forKey: key) }
        withExtendedLifetime(removed) {}
    }
}
