import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Processes that are killed at random moments, many times.
@Suite(.processes) struct RandomDeathTests {
    @Test(
        "After deaths at random moments of many loads the broker holds nothing and has no more open descriptors",
        .tags(.f21),
        arguments: Seeds.fixed(21)
    )
    func nothingIsLeft(seed: UInt64) throws {
        try BrokerProcess.run { broker in
            var generator = SeededGenerator(seed: seed)
            let observer = try broker.connect()
            func held(_ name: String) throws -> UInt64? {
                try observer.status().compactMap(\.counter).first { $0.name == name }?.value
            }
            let objects = try held("objects-held")
            let descriptors = try broker.openDescriptorCount()
            for _ in 0..<thinned(8, full: 40) {
                let board = "board=\(Int.random(in: 0..<3, using: &generator))"
                let source = try broker.source(board, "serve=\(Int.random(in: 0...(3 << 20), using: &generator))")
                let destinations = try (0..<3).map { _ in
                    try broker.destination(board, Bool.random(using: &generator) ? "hold" : "credit=70000")
                }
                // Some are about to connect, others are connecting.
                for destination in destinations where Bool.random(using: &generator) {
                    try destination.wait(for: "answered")
                }
                for peer in (destinations + [source]).shuffled(using: &generator) { try peer.kill() }
            }
            for board in ["0", "1", "2"] {
                var clear = Clear()
                clear.board = board
                _ = try observer.clear(clear)
            }
            let status = try observer.status()
            #expect(status.count { $0.peer != nil } == 1)
            #expect(status.count { $0.load != nil } == 0)
            #expect(try held("bytes-in-transfer") == 0)
            #expect(try held("objects-held") == objects)
            #expect(try broker.openDescriptorCount() == descriptors)
        }
    }
}
