import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The contents of an offer. They are promised to a broker, and again to the next one if it ends unexpectedly.
final class OfferedContents {
    /// The contents at a broker.
    struct Placed {
        let connection: BlockingConnection
        let publication: Publication
        let server: AskServer
    }

    private let write: Write
    private let items: [WriteItem]
    private let origins: [[AskOrigin]]
    private let report: ((String) -> Void)?
    /// The change count under which the contents can be loaded, and the time of their write in microseconds (see
    /// `MonotonicClock.bootMicroseconds`).
    private var first: (committed: Committed, time: UInt64)?

    /// - Parameters:
    ///   - items: the items, whose representations are promises.
    ///   - origins: the origins of their bytes.
    ///   - report: called with a line for each load that is over.
    init(_ write: Write, _ items: [WriteItem], origins: [[AskOrigin]], report: ((String) -> Void)?) {
        self.write = write
        self.items = items
        self.origins = origins
        self.report = report
    }

    /// Writes the contents.
    func place(over connection: BlockingConnection) throws -> Placed {
        let placed = try place(write, over: connection)
        first = (placed.publication.committed, MonotonicClock.bootMicroseconds())
        return placed
    }

    /// Whether the contents are written again after their broker has ended unexpectedly. The number of loads that were
    /// left is not known then.
    var mayReturn: Bool { write.terms?.maximumLoads == nil }

    /// Writes the contents again, under the change count that they had.
    ///
    /// - Returns: nil if their time is over.
    /// - Throws: `superseded` if there are newer contents.
    func placeAgain(over connection: BlockingConnection) throws -> Placed? {
        var again = Write()
        again.board = write.board
        again.terms = write.terms
        again.requires = [Feature.reclaim.rawValue] + (write.terms == nil ? [] : [Feature.terms.rawValue])
        again.reclaimsChangeCount = first?.committed.changeCount
        again.reclaimsEpoch = first?.committed.epoch
        if let expires = write.terms?.expiresMilliseconds, let time = first?.time {
            let now = MonotonicClock.bootMicroseconds()
            let age = (now - min(now, time)) / 1000
            guard expires > age else { return nil }
            again.terms?.expiresMilliseconds = expires - age
        }
        return try place(again, over: connection)
    }

    /// Whether the pasteboard has other contents.
    func areReplaced() throws -> Bool {
        var list = List()
        list.board = write.board
        return try Broker.running()?.list(list).items.isEmpty == false
    }

    private func place(_ write: Write, over connection: BlockingConnection) throws -> Placed {
        let publication = try connection.write(write, items: items)
        let server = try AskServer(connection, origins: origins, report: report)
        return Placed(connection: connection, publication: publication, server: server)
    }

    /// The hand-over of the promises to the broker.
    func handOver(_ placed: Placed) -> OfferHandOver {
        let handle = placed.publication.committed.handle
        return OfferHandOver(of: write.board, handle, items, origins: origins, over: placed.connection)
    }

    /// Clears the pasteboard if it still has these contents, so that it does not list types that cannot be loaded.
    func withdraw(_ placed: Placed) {
        var clear = Clear()
        clear.board = write.board
        clear.ifChangeCount = placed.publication.committed.changeCount
        clear.requires = [Feature.condition.rawValue]
        // A broker that does not answer must not delay the exit.
        placed.connection.io.timeouts.silence = 500
        placed.connection.io.timeouts.probe = 500
        _ = try? placed.connection.clear(clear)
    }
}
