import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import TestSupport

/// A source of the library, with a connection of its own.
struct DeathSource {
    static let size = 70_000

    let board: String
    let bytes: [UInt8]
    let publication: Publication
    private let pasteboard: Pasteboard

    /// - Parameters:
    ///   - offset: the position of its bytes in the block of the ledger.
    ///   - handler: called before the bytes are given.
    init(
        _ board: String,
        offset: Int,
        ledger: DeathLedger,
        handler: @escaping @Sendable () async -> Void
    ) async throws {
        self.board = board
        let bytes = ledger.bytes(of: DeathLedger.Part(offset: offset, count: Self.size + offset))
        self.bytes = bytes
        let connection = PasteboardConnection(socketPath: ledger.socket.socket, startsBroker: false)
        pasteboard = Pasteboard(name: Pasteboard.Name(board), connection: connection)
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) {
            await handler()
            return Data(bytes)
        }
        publication = try await pasteboard.write([provider])
    }

    var promise: DeathLoader.Promise {
        DeathLoader.Promise(board: board, type: "public.png", bytes: bytes)
    }

    func close() async {
        await pasteboard.connection.close()
    }
}
