import BrokerState
import PasteboardTransport
import TestSupport
import Testing

@testable import BrokerLoop

/// The transitions of the two states of a connection, as the table in `Connection.swift` lists them.
@Suite(.pure) struct ConnectionTests {
    private static let readings: [Connection.Reading] = [.open, .held, .queued]
    private static let writings: [Connection.Writing] = [.idle, .pending, .blocked, .failing, .failed]

    /// A connection in the two given states.
    private func connection(
        _ reading: Connection.Reading = .open,
        _ writing: Connection.Writing = .idle
    ) throws -> Connection {
        let peer = PeerID(rawValue: 1 << 32)
        var connection = Connection(
            try Socket.pair().keepingFirst(),
            peer: peer,
            of: 1,
            account: .none,
            closer: DescriptorCloser()
        )
        switch reading {
        case .open: break
        case .held: connection.hold(Rest(copying: [1, 2].span))
        case .queued: _ = connection.queued()
        }
        switch writing {
        case .idle: break
        case .pending: _ = connection.appended()
        case .blocked: connection.flushed(.blocked)
        case .failing: _ = connection.writeFailed()
        case .failed: connection.flushFailed()
        }
        #expect(connection.reading == reading && connection.writing == writing)
        return connection
    }

    @Test(
        "A connection in any state can be queued to be read, and is added to the queue once",
        arguments: Self.readings
    )
    func queues(from reading: Connection.Reading) throws {
        var connection = try connection(reading)
        #expect(connection.queued() == (reading != .queued))
        #expect(connection.reading == .queued)
        #expect(connection.queued() == false)
        connection.resume()
        #expect(connection.reading == .open)
    }

    @Test(
        "After a flush, reading continues if the peer may send requests again, or be sent more of a report",
        arguments: Self.readings
    )
    func continues(from reading: Connection.Reading) throws {
        var connection = try connection(reading)
        #expect(connection.mayContinue == (reading == .held))
        connection.isReporting = true
        #expect(connection.mayContinue && !connection.mayAsk)
        connection.output.appendControl([UInt8](repeating: 0, count: (64 << 10) + 1).span)
        #expect(connection.mayAsk == false)
        #expect(connection.mayContinue == false)
    }

    @Test(
        "Unprocessed input is processed before events, and its connection is not watched for more input",
        arguments: Self.readings
    )
    func watches(_ reading: Connection.Reading) throws {
        for writing in Self.writings {
            let connection = try connection(reading, writing)
            #expect(connection.isReadOnEvent == (reading == .open && !connection.isWriteClosed))
        }
        switch reading {
        case .open, .queued: #expect(try connection(reading).isWatchedForInput == true)
        case .held: #expect(try connection(reading).isWatchedForInput == false)
        }
    }

    @Test("Output adds the connection to the list of connections to flush once", arguments: Self.writings)
    func appends(from writing: Connection.Writing) throws {
        var connection = try connection(.open, writing)
        let isAdded = connection.appended()
        switch writing {
        case .idle, .blocked: #expect(isAdded && connection.writing == .pending)
        case .pending, .failing, .failed: #expect(!isAdded && connection.writing == writing)
        }
        #expect(connection.appended() == false)
    }

    @Test("A write that fails outside of a flush adds the connection to the list once", arguments: Self.writings)
    func fails(from writing: Connection.Writing) throws {
        guard writing != .failed else { return }
        var connection = try connection(.open, writing)
        #expect(connection.writeFailed() == (writing == .idle || writing == .blocked))
        #expect(connection.writing == .failing && connection.isWriteClosed)
        #expect(connection.mayAsk == true)
        #expect(connection.writeFailed() == false)
        connection.beginFlush()
        #expect(connection.writing == .failing)
        connection.flushFailed()
        #expect(connection.writing == .failed)
        connection.beginFlush()
        #expect(connection.writing == .failed)
    }

    @Test(
        "The outcome of a flush counts unless the flush itself has added output",
        arguments: [FlushOutcome.empty, .blocked]
    )
    func flushes(outcome: FlushOutcome) throws {
        var connection = try connection(.open, .pending)
        connection.beginFlush()
        #expect(connection.writing == .idle)
        connection.flushed(outcome)
        #expect(connection.writing == (outcome == .blocked ? .blocked : .idle))
        _ = connection.appended()
        connection.flushed(outcome)
        #expect(connection.writing == .pending)
    }

    @Test("The rest of the input is taken out to be processed, and put back from where that stopped")
    func rest() throws {
        var connection = try connection()
        connection.hold(Rest(copying: [1, 2, 3, 4].span))
        var rest = connection.takeRest()
        #expect(connection.rest.isEmpty && !rest.isEmpty)
        rest.offset = 3
        connection.hold(rest)
        #expect(connection.reading == .held && connection.rest.offset == 3 && !connection.rest.isEmpty)
    }
}
