/// One thing to measure: what is loaded, how often, and which client code is at the ends.
struct BenchCase {
    enum Shape: String {
        /// One load after the other.
        case each
        /// 64 under way all the time, on one connection.
        case pipelined
        /// One load of many bytes.
        case bulk
    }

    /// The client code of a process: the floor in C, the blocking core, the async library.
    enum Client: String {
        case floor
        case core
        case library
    }

    let name: String
    let shape: Shape
    let destination: Client
    let source: Client
    let count: Int
    let bytes: Int

    static func all(quick: Bool) -> [BenchCase] {
        let small = quick ? 200 : 10_000
        // Divisible by 64, for tasks share them.
        let many = quick ? 2_048 : 64_000
        let bulk = quick ? 64 << 20 : 1 << 30
        let ends: [(String, Client, Client)] = [
            ("core", .core, .core), ("library", .library, .core), ("library both ends", .library, .library),
        ]
        return ends.map { BenchCase("4 KiB, one at a time, \($0.0)", .each, $0.1, $0.2, small, 4096) }
            + ends.map { BenchCase("4 KiB, 64 pipelined, \($0.0)", .pipelined, $0.1, $0.2, many, 4096) }
            + ends.map { BenchCase("\(bulk >> 20) MiB inline, \($0.0)", .bulk, $0.1, $0.2, 1, bulk) }
    }

    private init(
        _ name: String,
        _ shape: Shape,
        _ destination: Client,
        _ source: Client,
        _ count: Int,
        _ bytes: Int
    ) {
        self.name = name
        self.shape = shape
        self.destination = destination
        self.source = source
        self.count = count
        self.bytes = bytes
    }

    /// The same work with the floor's clients.
    var floor: BenchCase {
        BenchCase(self.name, self.shape, .floor, .floor, self.count, self.bytes)
    }
}
