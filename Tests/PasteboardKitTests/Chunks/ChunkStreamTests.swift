import FoundationEssentials
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct ChunkStreamTests {
    private struct Refused: Error {}

    private static func sizes(of stream: ChunkStream) async throws -> [Int] {
        var sizes: [Int] = []
        while let chunk = try await stream.next() { sizes.append(chunk.count) }
        return sizes
    }

    // MARK: Connections

    @Test(
        "Received bytes become chunks, which may be changed and kept",
        arguments: [10, 70_000, 262_144],
        [true, false]
    )
    func received(count: Int, isCopied: Bool) async throws {
        let stream = ChunkStream(byteCount: nil)
        for byte in 1...3 as ClosedRange<UInt8> {
            let bytes = [UInt8](repeating: byte, count: count)
            if isCopied { stream.append(bytes.span) } else { stream.append(Data(bytes)) }
        }
        stream.end(.success(()))
        var all = Data()
        var kept: [Data] = []
        while var chunk = try await stream.next() {
            all += chunk
            kept.append(chunk.dropFirst())
            chunk[0] = 9
            chunk.append(9)
        }
        #expect(all == Data((1...3 as ClosedRange<UInt8>).flatMap { [UInt8](repeating: $0, count: count) }))
        #expect(kept.reduce(0) { $0 + $1.count } == 3 * count - kept.count)
        #expect(kept.allSatisfy { !$0.contains(9) })
    }

    // MARK: Handlers

    @Test("The chunks contain the bytes in the order of the writes, and small writes share a chunk")
    func order() async throws {
        let stream = ChunkStream(byteCount: nil)
        for byte in 0..<100 { try await stream.write(Data([UInt8(byte)])) }
        try await stream.write(Data())
        stream.end(ofHandler: .success(()))
        #expect(try await stream.next() == Data(0..<100))
        #expect(try await stream.next() == nil)
    }

    @Test("The chunk of a written slice begins at index 0")
    func slice() async throws {
        let stream = ChunkStream(byteCount: nil)
        let writer = Task { try await stream.write(Data(count: 100_000).dropFirst()) }
        let chunk = try #require(try await stream.next())
        #expect(chunk.startIndex == 0)
        #expect(chunk.count == 99_999)
        try await writer.value
    }

    @Test("A write waits until fewer than 64 KiB are unread")
    func backPressure() async throws {
        let stream = ChunkStream(byteCount: nil)
        let taken = Counter()
        try await stream.write(Data(count: (64 << 10) - 1))
        let (begun, written) = (Gate(), Gate())
        let writer = Task {
            begun.open()
            try await stream.write(Data([1]))
            // The reader increments the counter before it takes the chunk whose removal ends this write.
            #expect(taken.value == 1)
            written.open()
            stream.end(ofHandler: .success(()))
        }
        await begun.wait()
        try await eventually("a full stream") { stream.isFull }
        taken.increment()
        #expect(try await stream.next()?.count == 64 << 10)
        await written.wait()
        try await writer.value
        #expect(try await stream.next() == nil)
    }

    @Test("A cancelled stream refuses writes, stops its producer once, and fails the reader")
    func cancelled() async throws {
        let stream = ChunkStream(byteCount: nil)
        let stops = Counter()
        stream.onCancel { stops.increment() }
        let writer = Task { try await stream.write(Data(count: 1 << 20)) }
        #expect(try await stream.next()?.count == 1 << 20)
        try await writer.value
        stream.cancel()
        stream.cancel()
        #expect(stops.value == 1)
        #expect(stream.isOver)
        let refused = await #expect(throws: PasteboardError.self) { try await stream.write(Data([1])) }
        #expect(refused?.code == .cancelled)
        await #expect(throws: PasteboardError.self) { try await stream.next() }
        // A producer that is attached after the cancellation is stopped immediately.
        stream.onCancel { stops.increment() }
        #expect(stops.value == 2)
    }

    @Test("The cancellation wakes a writer that waits for space")
    func cancelledWaiting() async throws {
        let stream = ChunkStream(byteCount: nil)
        let writer = Task { try await stream.write(Data(count: 64 << 10)) }
        try await eventually("a full stream") { stream.isFull }
        stream.cancel()
        let error = await #expect(throws: PasteboardError.self) { try await writer.value }
        #expect(error?.code == .cancelled)
    }

    @Test("A write beyond the announced size is refused and fails the load after the earlier bytes")
    func tooMany() async throws {
        let stream = ChunkStream(byteCount: 3)
        try await stream.write(Data([1, 2]))
        let error = await #expect(throws: PasteboardError.self) { try await stream.write(Data([3, 4])) }
        let text = "the handler of a byte stream wrote more than the 3 bytes that were announced"
        #expect(error?.message == text)
        stream.end(ofHandler: .success(()))
        #expect(try await stream.next() == Data([1, 2]))
        let failure = await #expect(throws: PasteboardError.self) { try await stream.next() }
        #expect(failure?.message == text)
    }

    @Test("Fewer bytes than announced fail the load after those bytes were read")
    func tooFew() async throws {
        let stream = ChunkStream(byteCount: 3)
        try await stream.write(Data([1]))
        stream.end(ofHandler: .success(()))
        #expect(try await stream.next() == Data([1]))
        let error = await #expect(throws: PasteboardError.self) { try await stream.next() }
        #expect(error?.code == .sourceTruncated)
    }

    @Test("An error of the handler is thrown after the bytes that it wrote were read")
    func failed() async throws {
        let stream = ChunkStream(byteCount: nil)
        try await stream.write(Data([1]))
        stream.end(ofHandler: .failure(Refused()))
        #expect(try await stream.next() == Data([1]))
        let error = await #expect(throws: PasteboardError.self) { try await stream.next() }
        #expect(error?.code == .sourceFailed)
    }

    @Test("A write after the end is refused, and only the first end counts")
    func late() async throws {
        let stream = ChunkStream(byteCount: nil)
        stream.end(ofHandler: .success(()))
        stream.end(ofHandler: .failure(Refused()))
        let error = await #expect(throws: PasteboardError.self) { try await stream.write(Data([1])) }
        #expect(error?.code == .invalidArgument)
        #expect(try await Self.sizes(of: stream) == [])
    }

    // MARK: Connections

    @Test("Frames are collected into chunks of 64 KiB, and taking a chunk reports its size")
    func frames() async throws {
        let taken = Lock<[Int]>([])
        let stream = ChunkStream(byteCount: nil) { count in taken.withLock { $0.append(count) } }
        let frame = [UInt8](repeating: 1, count: 30_000)
        for _ in 0..<4 { stream.append(frame.span) }
        #expect(try await stream.next()?.count == 90_000)
        #expect(taken.withLock { $0 } == [90_000])
        // After the end the size is not reported: there is no credit to renew.
        stream.end(.success(()))
        #expect(try await Self.sizes(of: stream) == [30_000])
        #expect(taken.withLock { $0 } == [90_000])
    }

    @Test("A waiting reader gets bytes when they are delivered, not when they are appended")
    func deliver() async throws {
        let stream = ChunkStream(byteCount: nil)
        let chunks = Lock<[Int]>([])
        stream.next { chunk in chunks.withLock { $0.append((try? chunk.get())?.count ?? -1) } }
        stream.append([1, 2, 3].span)
        #expect(chunks.withLock { $0 } == [])
        stream.deliver()
        #expect(chunks.withLock { $0 } == [3])
        stream.deliver()
        #expect(chunks.withLock { $0 } == [3])
    }

    @Test("A cancelled stream drops unread bytes, even after its end")
    func cancelledAfterEnd() async throws {
        let stream = ChunkStream(byteCount: nil)
        stream.append([1].span)
        stream.end(.success(()))
        stream.cancel(PasteboardError(.timeout, message: "too late"))
        let error = await #expect(throws: PasteboardError.self) { try await stream.next() }
        #expect(error?.message == "too late")
        stream.append([1].span)
        await #expect(throws: PasteboardError.self) { try await stream.next() }
    }

    @Test("The cancellation of a stream that was read to its end has no effect")
    func cancelledAfterAll() async throws {
        let stream = ChunkStream(Data([1, 2]))
        #expect(stream.byteCount == 2)
        #expect(try await stream.next() == Data([1, 2]))
        stream.cancel()
        #expect(try await stream.next() == nil)
        #expect(try await ChunkStream(Data()).next() == nil)
    }
}
