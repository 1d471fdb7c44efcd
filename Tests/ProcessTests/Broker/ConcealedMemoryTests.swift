import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The memory of a broker through which secret bytes have passed.
@Suite(.processes) struct ConcealedMemoryTests {
    enum Ending: CaseIterable {
        case clear, expiry, lastLoad
    }

    private static let length = 600_000

    private static func connect(_ broker: BrokerProcess) throws -> ScriptedPeer {
        let deadline = MonotonicClock.deadline(milliseconds: ScriptedPeer.watchdog)
        let peer = ScriptedPeer(try Socket.connect(path: broker.place.socket, deadline: deadline))
        try peer.send(Hello(), stream: 0)
        return peer
    }

    /// Writes kept bytes, and loads them. Returns both peers.
    private static func keep(
        _ pattern: [UInt8],
        terms: ContentTerms?,
        in broker: BrokerProcess
    ) throws -> [ScriptedPeer] {
        let peer = try connect(broker)
        try begin(on: peer, isKept: true, terms)
        for start in stride(from: 0, to: length, by: 100_000) {
            try peer.sendData(bytes(pattern, count: 100_000), stream: 1, last: start + 100_000 == length)
        }
        try peer.send(Commit(), stream: 1)
        _ = try peer.next(.committed)
        let reader = try connect(broker)
        try load(from: reader)
        return [peer, reader]
    }

    /// Promises bytes, and sends them for one load. Returns both peers.
    private static func relay(
        _ pattern: [UInt8],
        terms: ContentTerms?,
        in broker: BrokerProcess
    ) throws -> [ScriptedPeer] {
        let peer = try connect(broker)
        try begin(on: peer, isKept: false, terms)
        try peer.send(Commit(), stream: 1)
        _ = try peer.next(.committed)
        let reader = try connect(broker)
        try request(from: reader)
        let ask = try peer.next(.ask).stream
        for start in stride(from: 0, to: 200_000, by: 50_000) {
            try peer.sendData(bytes(pattern, count: 50_000), stream: ask, last: start == 150_000)
        }
        try finish(reader)
        return [peer, reader]
    }

    private static func bytes(_ pattern: [UInt8], count: Int) -> [UInt8] {
        (0..<count).map { pattern[$0 % pattern.count] }
    }

    private static func begin(on peer: ScriptedPeer, isKept: Bool, _ terms: ContentTerms?) throws {
        var write = Write()
        write.terms = terms
        if terms != nil { write.requires = [Feature.terms.rawValue] }
        try peer.send(write, stream: 1)
        var item = Item()
        var representation = Representation()
        representation.type = "public.data"
        representation.provision = isKept ? .kept : .promised
        item.representations = [representation]
        try peer.send(item, stream: 1)
    }

    private static func request(from reader: ScriptedPeer) throws {
        var load = Load()
        load.credit = 1 << 30
        try reader.send(load, stream: 1)
    }

    private static func finish(_ reader: ScriptedPeer) throws {
        while !(try reader.next(.data).header.flags.contains(.last)) {}
    }

    private static func load(from reader: ScriptedPeer) throws {
        try request(from: reader)
        try finish(reader)
    }

    @Test(
        "Concealed bytes are nowhere in the broker's memory after their end, and others are found there",
        .tags(.f101),
        .enabled(if: System.userID == 0, "needs root, which alone can read the memory of a broker"),
        .unsanitized,
        arguments: Ending.allCases,
        [true, false]
    )
    func wiped(_ ending: Ending, isKept: Bool) throws {
        // Patterns that no other memory contains by chance.
        var generator = SeededGenerator(seed: 101)
        try BrokerProcess.run { broker in
            let process = broker.runner.child.id
            let publish = isKept ? Self.keep : Self.relay
            // Bytes that are not secret stay in the buffers through which they have passed.
            let plain = (0..<32).map { _ in UInt8.random(in: 1...255, using: &generator) }
            let others = try publish(plain, nil, broker)
            #expect(try Self.holds(plain, process))
            // With the end of a connection, too, the buffers are overwritten.
            for peer in others { peer.close() }

            let secret = (0..<32).map { _ in UInt8.random(in: 1...255, using: &generator) }
            var terms = ContentTerms()
            terms.isConcealed = true
            if ending == .expiry { terms.expiresMilliseconds = 10_000 }
            if ending == .lastLoad { terms.maximumLoads = 1 }
            let peers = try publish(secret, terms, broker)
            let writer = peers[0]
            if ending == .clear {
                // Until then the broker has the kept bytes. Its answer follows the end of the turn in which it relayed
                // the others.
                _ = try broker.connect().status()
                #expect(try Self.holds(secret, process) == isKept)
                try writer.send(Clear(), stream: 3)
            }
            let end = try writer.next(.end)
            let reasons: [Ending: EndReason] = [.clear: .cleared, .expiry: .expired, .lastLoad: .loaded]
            #expect(try end.decoded(as: End.self).reason == reasons[ending])
            // Large memory is overwritten by another thread than that of the turn.
            try eventually("the erasing of the secret") { try !Self.holds(secret, process) }
            for peer in peers { peer.close() }
        }
    }

    /// Whether a process has a pattern in its memory or in one of its memory files.
    private static func holds(_ pattern: [UInt8], _ process: Int32) throws -> Bool {
        let maps = String(decoding: try System.contents(of: "/proc/\(process)/maps"), as: UTF8.self)
        let memory = try System.open("/proc/\(process)/mem")
        for line in maps.split(separator: "\n") where line.contains(" rw") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if bounds.count == 2, holds(pattern, in: memory.raw, bounds[0]..<bounds[1]) { return true }
        }
        for descriptor in 3..<100 {
            // Opening the link of a socket fails.
            guard let file = try? System.open("/proc/\(process)/fd/\(descriptor)"),
                let status = try? System.status(of: file.raw), status.kind == .regular
            else { continue }
            if holds(pattern, in: file.raw, 0..<status.size) { return true }
        }
        return false
    }

    private static func holds(_ pattern: [UInt8], in file: CInt, _ range: Range<UInt64>) -> Bool {
        let size = 1 << 20
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var start = range.lowerBound
        while start < range.upperBound {
            let count = pread(file, buffer.baseAddress, min(size, Int(range.upperBound - start)), off_t(start))
            guard count > pattern.count, let base = buffer.baseAddress else { return false }
            var offset = 0
            // Each pattern of the repeated ones is as good as any other.
            while offset <= count - pattern.count,
                let found = memchr(base + offset, CInt(pattern[0]), count - pattern.count - offset + 1)
            {
                if memcmp(found, pattern, pattern.count) == 0 { return true }
                offset = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
            }
            start += UInt64(count)
        }
        return false
    }
}
