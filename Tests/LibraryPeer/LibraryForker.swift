import FoundationEssentials
import Glibc
import PasteboardKit

/// A source and destination whose process forks without executing another program.
///
/// For the line `fork` it makes a child that uses the connection and says what happens, and that then holds the socket
/// until it is killed. For `fork and close` the child closes the connection and exits. For `load` the process loads its
/// own item, for `close` it closes the connection.
struct LibraryForker {
    private let connection: PasteboardConnection
    /// The time after which loads of its item end without a byte; nil: the broker's default.
    private let firstByte: Duration?

    init(_ connection: PasteboardConnection, _ words: [PeerWord]) throws {
        self.connection = connection
        firstByte = try words.first { $0.name == "first-byte" }.map { .milliseconds(try $0.number) }
    }

    func run(_ board: Pasteboard) async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png, firstByteTimeout: firstByte) { Shown.pattern(400_000) }
        let publication = try await board.write([provider])
        guard let item = try await board.contents().items.first?.itemProvider else { throw Misuse() }
        LibraryPeer.say("promised")
        while let order = readLine() {
            switch order {
            case "fork", "fork and close":
                let child = try Self.fork()
                if child != 0 {
                    LibraryPeer.say("forked \(child)")
                } else if order == "fork" {
                    await useAsChild(board, item, publication)
                } else {
                    await connection.close()
                    exit(0)
                }
            case "load":
                let data = try await item.loadData(for: .png)
                LibraryPeer.say("loaded \(Shown.bytes(data))")
            case "close":
                await connection.close()
                LibraryPeer.say("closed")
            default: throw Misuse()
            }
        }
        withExtendedLifetime(publication) {}
    }

    private func useAsChild(_ board: Pasteboard, _ item: ItemProvider, _ publication: Publication) async -> Never {
        let uses: [(String, () async throws -> Void)] = [
            ("contents", { _ = try await board.contents() }),
            ("load", { _ = try await item.loadData(for: .png) }),
            ("write", { _ = try await board.write("text") }),
            ("names", { _ = try await DropDestination.names(connection: connection) }),
        ]
        for (name, use) in uses {
            do {
                try await use()
                LibraryPeer.say("child \(name) succeeded")
            } catch {
                LibraryPeer.say("child \(name) \((error as? PasteboardError)?.code.description ?? ""): \(error)")
            }
        }
        LibraryPeer.say("child holds the socket")
        while true { pause() }
    }

    /// Swift hides `fork`, because a lock that another thread holds, such as one of the Swift runtime, is never
    /// released in the child. So this forks at a moment in which all other threads wait.
    private static func fork() throws -> CInt {
        typealias Fork = @convention(c) () -> CInt
        guard let symbol = dlsym(nil, "fork") else { throw Misuse() }
        while try !othersWait() {}
        let child = unsafeBitCast(symbol, to: Fork.self)()
        guard child >= 0 else { throw Misuse() }
        return child
    }

    private static func othersWait() throws -> Bool {
        let threads = "/proc/self/task"
        let running = try FileManager.default.contentsOfDirectory(atPath: threads).count { name in
            // 123 (the name) S …
            let status = FileManager.default.contents(atPath: "\(threads)/\(name)/stat")
            return status.map { !String(decoding: $0, as: UTF8.self).contains(") S ") } ?? false
        }
        // This thread runs.
        return running <= 1
    }
}
