import Glibc
import PasteboardTransport

/// The growth of the broker's memory for each object that it holds for other processes. The memory of the kernel
/// (sockets, epoll entries) is not included. There is no floor, because a relay would hold nothing.
struct HoldingCase: BenchCase {
    let name: String
    let subject = "pasteboardd"
    private let role: String
    private let count: Int
    /// The largest number of objects of one process.
    private let share: Int

    static func all(quick: Bool) -> [HoldingCase] {
        [
            HoldingCase("memory, 1000 idle connections", "hold-connections", quick ? 100 : 1_000, 2_500),
            HoldingCase("memory, 10000 idle connections", "hold-connections", quick ? 200 : 10_000, 2_500),
            HoldingCase("memory, 20000 promises of 3 types", "hold-promises", quick ? 400 : 20_000, 20_000),
        ]
    }

    private init(_ name: String, _ role: String, _ count: Int, _ share: Int) {
        self.name = name
        self.role = role
        self.count = count
        self.share = share
    }

    func run(on stage: Stage) throws -> [CaseResult] {
        let limit = System.raiseDescriptorLimit()
        // The broker reserves a quarter of the descriptors for kept bytes, and some for itself.
        let needed = count * 4 / 3 + 512
        guard role != "hold-connections" || limit >= needed else {
            throw Skip("needs \(needed) descriptors, but RLIMIT_NOFILE allows \(limit)")
        }
        let kind = FigureKind(name: "RSS of each", unit: "bytes")
        return try Comparison(name, [kind]).run(rounds: stage.options.rounds, subject) {
            let socket = try stage.socket()
            let broker = try Server.broker.start(on: stage, socket)
            defer { broker.end() }
            // The memory for the first object includes memory that all later ones share.
            let first = try stage.startReady(role, socket, 1)
            first.end()
            let before = try ProcessMemory(of: broker.id)
            var holders: [BenchProcess] = []
            defer { for holder in holders { holder.end() } }
            for start in stride(from: 0, to: count, by: share) {
                holders.append(try stage.startReady(role, socket, min(share, count - start)))
            }
            let after = try ProcessMemory(of: broker.id)
            return [(after.resident - before.resident) * 1024 / Double(count)]
        }
    }
}
