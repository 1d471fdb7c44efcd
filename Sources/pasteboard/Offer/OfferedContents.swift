import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The contents of an offer. They are promised to a broker, and again to the next one if it ends unexpectedly.
final class OfferedContents {
    /// The contents at a broker.
    struct Placed {
        let connection: BlockingConnection
        let publication: BlockingPublication
        let server: AskServer
    }

    let items: [WriteItem]
    /// The origins of the bytes, by item and representation.
    let origins: [[AskOrigin]]
    private(set) var standing: StandingWrite
    private let report: ((String) -> Void)?

    /// - Parameters:
    ///   - items: the items, whose representations are promises.
    ///   - report: called with a line for each load that is over.
    init(_ write: Write, _ items: [WriteItem], origins: [[AskOrigin]], report: ((String) -> Void)?) {
        self.items = items
        self.origins = origins
        self.report = report
        standing = StandingWrite(write)
    }

    /// Writes the contents.
    func place(over connection: BlockingConnection) throws -> Placed {
        let placed = try place(standing.write, over: connection)
        standing.commit(placed.publication.committed, at: MonotonicClock.bootMicroseconds())
        return placed
    }

    /// Writes the contents again, under the change count that they had.
    ///
    /// - Returns: nil if their time is over.
    /// - Throws: `superseded` if there are newer contents.
    func placeAgain(over connection: BlockingConnection) throws -> Placed? {
        try standing.again(at: MonotonicClock.bootMicroseconds()).map { try place($0, over: connection) }
    }

    private func place(_ write: Write, over connection: BlockingConnection) throws -> Placed {
        let publication = try connection.write(write, items: items)
        let server = try AskServer(connection, origins: origins, report: report)
        return Placed(connection: connection, publication: publication, server: server)
    }

    /// Clears the pasteboard if it still has these contents, so that it does not list types that cannot be loaded.
    func withdraw(_ placed: Placed) {
        // A broker that does not answer must not delay the exit.
        placed.connection.io.timeouts.silence = 500
        placed.connection.io.timeouts.probe = 500
        _ = try? placed.connection.clear(
            Clear(standing.write.board, ifChangeCount: placed.publication.committed.changeCount)
        )
    }
}
