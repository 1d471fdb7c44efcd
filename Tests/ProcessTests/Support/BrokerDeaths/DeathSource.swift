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

    /// - Parameter handler: called before the bytes are given.
    init(
        _ board: String,
        ledger: DeathLedger,
        handler: @escaping @Sendable () async -> Void = {}
    ) async throws {
        self.board = board
        let offset = Int.random(in: 0..<Self.size)
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
