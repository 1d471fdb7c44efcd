import CBenchFloor
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The kind of file that a source passes.
enum PassedKind: String {
    case memory
    case file

    /// Opens the file, or fills and seals a memory file of that size.
    func descriptor(_ path: String, bytes: Int) throws -> DescriptorBox {
        guard self == .memory else { return DescriptorBox(try System.open(path)) }
        let file = try MemoryFile()
        let chunk = [UInt8](repeating: 7, count: min(bytes, 1 << 20))
        for _ in 0..<bytes / chunk.count { try file.append(chunk.span) }
        try file.seal()
        return file.descriptor
    }
}

/// Sources that answer each ask with the same descriptor.
enum FileSource {
    static func floor(_ part: Part) throws -> Never {
        let descriptor = try self.descriptor(part)
        let connection = floor_connect(part.socket)
        try Role.ready()
        floor_serve_descriptor(connection, descriptor.raw)
        exit(0)
    }

    static func core(_ part: Part) throws -> Never {
        let descriptor = try self.descriptor(part)
        let bytes = UInt64(try part.number(2))
        let connection = try CoreConnection.open(part.socket)
        _ = try connection.write(Write(), items: [CoreConnection.item(.promised)])
        try Role.ready()
        var asks: [UInt64] = []
        while true {
            try connection.turn { _, event, _ in
                if case .asked(let stream, _) = event { asks.append(stream) }
            }
            for ask in asks {
                guard connection.io.pass(descriptor, byteCount: bytes, on: ask) else {
                    throw BenchError("the broker did not accept a descriptor")
                }
            }
            asks.removeAll(keepingCapacity: true)
        }
    }

    private static func descriptor(_ part: Part) throws -> DescriptorBox {
        guard let kind = PassedKind(rawValue: try part.word(0)) else { throw BenchError("there is no such file") }
        return try kind.descriptor(try part.word(1), bytes: try part.number(2))
    }
}

/// Destinations that accept descriptors.
struct FileDestination {
    private let isMapped: Bool
    private let count: Int
    private let reads: Int
    private let bytes: Int
    private let relay: pid_t

    init(_ part: Part) throws {
        isMapped = try part.word(0) == "mapped"
        count = try part.number(1)
        reads = try part.number(2)
        bytes = try part.number(3)
        relay = pid_t(truncatingIfNeeded: try part.number(4))
    }

    func floor(_ socket: String) throws {
        let connection = floor_connect(socket)
        try measure { use in
            let descriptor = OwnedDescriptor(adopting: floor_load_descriptor(connection))
            try use(descriptor.raw) { bench_read_all(descriptor.raw, bytes) }
        }
    }

    func core(_ socket: String) throws {
        let connection = try CoreConnection.open(socket)
        _ = try connection.welcome()
        var accept = Accept()
        accept.type = "public.data"
        var load = Load()
        load.accepts = [accept]
        try measure { use in
            var taken: PassedFile?
            try connection.load(load, file: { taken = $0 }) { _ in }
            guard let file = taken, file.byteCount == UInt64(bytes), file.isImmutable || !isMapped else {
                throw BenchError("the bytes did not arrive as a descriptor")
            }
            try use(file.descriptor.raw) {
                var count = 0
                try file.forEachChunk { count += $0.count }
                return count
            }
        }
    }

    /// Uses a descriptor, which is open during the call, and a function that reads all of its bytes.
    private typealias Use = (_ descriptor: CInt, _ readAll: () throws -> Int) throws -> Void

    /// Reports times in nanoseconds: until the descriptor has arrived, until the file is mapped, until all bytes were
    /// read, and the processor time of the relay for one descriptor.
    private func measure(_ load: (Use) throws -> Void) throws {
        var handed: [Double] = []
        var mapped: [Double] = []
        var read: [Double] = []
        try load { _, _ in }
        let before = bench_processor_time(self.relay)
        for _ in 0..<count {
            let start = MonotonicClock.now()
            try load { descriptor, _ in
                handed.append(Double(MonotonicClock.now() - start))
                if isMapped { mapped.append(Double(bench_map(descriptor, bytes) - start)) }
            }
        }
        let relay = Double(bench_processor_time(self.relay) - before) / Double(count)
        for _ in 0..<reads {
            let start = MonotonicClock.now()
            try load { descriptor, readAll in
                let isRight =
                    if isMapped {
                        bench_sum_mapped(descriptor, bytes) == 0x0707_0707_0707_0707 &* UInt64(bytes / 8)
                    } else {
                        try readAll() == bytes
                    }
                guard isRight else { throw BenchError("received other bytes") }
            }
            read.append(Double(MonotonicClock.now() - start))
        }
        try Role.say("\(handed.median) \(isMapped ? mapped.median : 0) \(read.median) \(relay)")
    }
}
