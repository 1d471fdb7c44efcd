import PasteboardTransport
import PasteboardWire

/// The values that are needed to write a publication again after a lost connection, under the change count that it had.
struct Reclaim: Sendable {
    private let board: String
    private let terms: ContentTerms?
    private let restoration: Restoration

    /// - Parameters:
    ///   - write: the request of the publication.
    ///   - keeps: the representations whose bytes the broker has.
    ///   - pasteboard: the pasteboard, whose connection restores the publication.
    /// - Returns: nil if the publication ends with its connection: one that can be loaded a number of times, because
    ///   the loads that are left are not known; one of secrets that the broker has kept, because they would be promised
    ///   for longer than they were to be kept; and one on a unique pasteboard, which ends with the connection itself.
    init?(_ write: Write, keeping keeps: Pasteboard.KeptRepresentations, on pasteboard: Pasteboard) {
        guard pasteboard.board == nil, write.terms?.maximumLoads == nil else { return nil }
        if write.terms?.isConcealed ?? false, keeps != .nothing { return nil }
        board = pasteboard.name.rawValue
        terms = write.terms
        restoration = pasteboard.connection.restoration
    }

    /// The request that restores the publication; nil if its time is over.
    ///
    /// - Parameter age: the time since the publication was written, in milliseconds.
    func write(_ changeCount: ChangeCount, age: UInt64) -> Write? {
        var write = Write()
        write.board = board
        write.reclaimsChangeCount = changeCount.value
        write.reclaimsEpoch = changeCount.epoch
        write.requires = [Feature.reclaim.rawValue]
        write.terms = terms
        if terms != nil { write.requires.append(Feature.terms.rawValue) }
        if let expires = terms?.expiresMilliseconds {
            guard expires > age else { return nil }
            write.terms?.expiresMilliseconds = expires - age
        }
        return write
    }

    /// Whether the publication is restored if the connection is lost now.
    func includes(_ request: WriteRequest) -> Bool { restoration.contains(request) }

    func begin(_ request: WriteRequest) { restoration.add(request) }

    func end(_ request: WriteRequest) { restoration.remove(request) }
}
