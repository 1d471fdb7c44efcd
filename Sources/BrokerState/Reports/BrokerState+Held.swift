extension BrokerState {
    /// Sums that are zero when nobody is connected and nothing is kept.
    package var held: Held {
        Held(
            peers: peers.count,
            loads: loads.count,
            writes: world.contents.writeCount,
            publications: world.contents.publicationCount,
            sessions: sessions.sessionCount,
            destinationSessions: sessions.destinationSessionCount,
            destinations: sessions.destinationCount,
            watches: watches.count,
            createdBoards: boards.createdCount,
            accounts: world.context.accounting.accounts.count,
            objects: world.context.accounting.total(of: .objects),
            metadata: world.context.accounting.total(of: .metadata),
            keptBytes: world.context.accounting.total(of: .keptBytes),
            inTransfer: world.context.accounting.total(of: .transfer),
            queued: world.context.accounting.total(of: .queued)
        )
    }

    package struct Held: Sendable, Equatable {
        package static let nothing = Held()

        package var peers = 0
        package var loads = 0
        package var writes = 0
        package var publications = 0
        package var sessions = 0
        package var destinationSessions = 0
        package var destinations = 0
        package var watches = 0
        package var createdBoards = 0
        package var accounts = 0
        package var objects: UInt64 = 0
        package var metadata: UInt64 = 0
        package var keptBytes: UInt64 = 0
        package var inTransfer: UInt64 = 0
        package var queued: UInt64 = 0
    }
}
