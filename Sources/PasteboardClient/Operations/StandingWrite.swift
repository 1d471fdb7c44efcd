package import PasteboardWire

/// Contents that this program has published. After a lost broker they are written again to the next one, under the
/// change count that they had.
package struct StandingWrite: Sendable {
    /// The first request.
    package let write: Write
    private let endsWithBroker: Bool
    private var first: (committed: Committed, time: UInt64)?

    /// - Parameter endsWithBroker: whether the contents cannot be promised again: those of a unique board, which ends
    ///   with the connection, and secrets that the broker keeps, which would be promised for longer.
    package init(_ write: Write, endsWithBroker: Bool = false) {
        self.write = write
        self.endsWithBroker = endsWithBroker
    }

    /// The kind of these contents in the table for a lost broker. After a loss nobody knows how many of a number of
    /// loads are left.
    package var verb: Recovery.Verb { endsWithBroker || write.terms?.maximumLoads != nil ? .bound : .standing }

    /// The answer to the first write; nil before it.
    package var committed: Committed? { first?.committed }

    /// Records the answer to a write. Only the first one has an effect.
    ///
    /// - Parameter time: the time since the start of the machine, in microseconds.
    package mutating func commit(_ committed: Committed, at time: UInt64) {
        first = first ?? (committed, time)
    }

    /// The request that writes the contents again; nil if their time is over.
    package func again(at time: UInt64) -> Write? {
        var again = Write()
        again.board = write.board
        again.reclaimsChangeCount = first?.committed.changeCount
        again.reclaimsEpoch = first?.committed.epoch
        again.requires = [Feature.reclaim.rawValue]
        if let origin = write.origin {
            again.origin = origin
            again.requires.append(Feature.links.rawValue)
        }
        guard let terms = write.terms else { return again }
        again.terms = terms
        again.requires.append(Feature.terms.rawValue)
        if let expires = terms.expiresMilliseconds, let first {
            let age = (time - min(time, first.time)) / 1000
            guard expires > age else { return nil }
            again.terms?.expiresMilliseconds = expires - age
        }
        return again
    }
}
