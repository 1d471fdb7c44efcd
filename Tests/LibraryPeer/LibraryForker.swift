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
                // The runtime makes its types before the fork, because a lock of the runtime may be held there.
                let uses = uses(of: board, item, publication)
                let child = try Self.fork()
                if child != 0 {
                    LibraryPeer.say("forked \(child)")
                } else if order == "fork" {
                    await useAsChild(uses)
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

    private typealias Use = (name: String, perform: () async throws -> Void)

    private func uses(of board: Pasteboard, _ item: ItemProvider, _ publication: Publication) -> [Use] {
        [
            ("contents", { _ = try await board.contents() }),
            ("load", { _ = try await item.loadData(for: .png) }),
            ("write", { _ = try await board.write("text") }),
            ("add", { try await publication.add([item]) }),
            ("outcome", { _ = try await publication.outcome() }),
            ("withdraw", { try await publication.withdraw() }),
            ("names", { _ = try await DropDestination.names(connection: connection) }),
        ]
    }

    private func useAsChild(_ uses: [Use]) async -> Never {
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
        // Several looks in a row, because a thread may have begun to run after the first, with a lock of the runtime.
        var (last, calm) = ("", 0)
        while calm < 40 {
            let now = try waitingThreads()
            calm = now == last && now != nil ? calm + 1 : 0
            last = now ?? ""
        }
        let child = unsafeBitCast(symbol, to: Fork.self)()
        guard child >= 0 else { throw Misuse() }
        return child
    }

    /// The other threads, with the number of times that each has waited; nil if one of them runs.
    private static func waitingThreads() throws -> String? {
        let threads = "/proc/self/task"
        var (text, running) = ("", 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: threads).sorted() {
            guard let status = FileManager.default.contents(atPath: "\(threads)/\(name)/status") else { return nil }
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            if lines.contains(where: { $0.hasPrefix("State:\tS") }) {
                text += "\(name) \(lines.filter { $0.contains("ctxt_switches") }) "
            } else {
                running += 1
            }
        }
        // This thread runs.
        return running == 1 ? text : nil
    }
}
