import PasteboardTransport

/// Loads that are answered with a descriptor, compared with a relay that only passes the same file on.
struct DescriptorCase: BenchCase {
    enum Contents: String {
        /// A memory file that the broker keeps.
        case kept = "kept memory file"
        /// A memory file that the broker keeps, loaded as data by the library.
        case data = "kept, library"
        /// A memory file that the source passes.
        case memory = "passed memory file"
        /// A file that the source passes.
        case file = "passed file"
    }

    let name: String
    private let contents: Contents
    private let bytes: Int
    private let count: Int
    private let reads: Int

    static func all(quick: Bool) -> [DescriptorCase] {
        let contents: [Contents] = [.kept, .data, .memory, .file]
        return contents.map { DescriptorCase("1 MiB by descriptor", $0, 1 << 20, quick ? 20 : 2_000, quick ? 2 : 50) }
            + contents.map { DescriptorCase("1 GiB by descriptor", $0, quick ? 8 << 20 : 1 << 30, quick ? 20 : 500, 1) }
    }

    private init(_ name: String, _ contents: Contents, _ bytes: Int, _ count: Int, _ reads: Int) {
        self.name = name
        self.contents = contents
        self.bytes = bytes
        self.count = count
        self.reads = reads
    }

    var subject: String { contents.rawValue }

    func run(on stage: Stage) throws -> [CaseResult] {
        let path = "\(stage.directory)/input"
        if contents == .file { try stage.fill(path, bytes: bytes, with: 7) }
        defer { try? System.unlink(path) }
        let passed = contents == .file ? PassedKind.file : .memory
        let from: [any CustomStringConvertible] = [passed.rawValue, path, bytes]
        let source: (String, [any CustomStringConvertible]) =
            switch contents {
            case .kept, .data: ("keeper", [bytes])
            case .memory, .file: ("core-file-source", from)
            }
        let destination = contents == .data ? "library-file-destination" : "core-file-destination"
        return try Comparison(name, kinds).run(
            rounds: stage.options.rounds,
            floor: {
                try measure(stage, "relay-descriptors", "floor-file-source", from, "floor-file-destination")
            },
            subject,
            { try measure(stage, "broker", source.0, source.1, destination) }
        )
    }

    private var isMapped: Bool { contents != .file }

    private var kinds: [FigureKind] {
        let handed = FigureKind(name: "handed over", unit: "us")
        let mapped = FigureKind(name: "mapped", unit: "us")
        let read = FigureKind(name: "read once", unit: "GiB/s", moreIsBetter: true)
        let broker = FigureKind(name: "broker", unit: "us/load")
        return switch contents {
        case .kept, .memory: [handed, mapped, read, broker]
        case .data: [mapped, broker]
        case .file: [handed, read, broker]
        }
    }

    private func measure(
        _ stage: Stage,
        _ relay: String,
        _ source: String,
        _ from: [any CustomStringConvertible],
        _ destination: String
    ) throws -> [Double] {
        let socket = try stage.socket()
        let relay = try stage.startReady(relay, socket)
        defer { relay.end() }
        let source = try stage.startReady([source, socket] + from)
        defer { source.end() }
        let destination = try stage.start([
            destination, socket, isMapped ? "mapped" : "read", count, reads, bytes, relay.id,
        ])
        defer { destination.end() }
        let numbers = try destination.numbers(4)
        let (handed, mapped, broker) = (numbers[0] / 1e3, numbers[1] / 1e3, numbers[3] / 1e3)
        let rate = Double(bytes) / Double(1 << 30) / numbers[2] * 1e9
        return switch contents {
        case .kept, .memory: [handed, mapped, rate, broker]
        case .data: [mapped, broker]
        case .file: [handed, rate, broker]
        }
    }
}
