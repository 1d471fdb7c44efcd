import FoundationEssentials
import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct LoadReaderTests {
    private struct Refused: Error {}

    @Test("Chunks are read one by one, and each is requested only when the reader needs it")
    func order() async throws {
        let (source, progress) = (TestChunks(byteCount: 3), LoadProgress())
        let reader = LoadReader(source, progress: progress)
        #expect(!source.isAsked)
        source.give(.success(Data([1])), .success(Data([2, 3])), .success(nil))
        #expect(try await reader.next() == Data([1]))
        #expect(!source.isAsked)
        #expect(progress.completedUnitCount == 1)
        #expect(progress.totalUnitCount == 3)
        #expect(try await reader.next() == Data([2, 3]))
        #expect(!progress.isFinished)
        #expect(try await reader.next() == nil)
        #expect(progress.isFinished)
        #expect(try await reader.next() == nil)
        #expect(!source.isCancelled)
    }

    @Test("An error of the source ends the load, and every later read throws it again")
    func failure() async throws {
        let (source, progress) = (TestChunks(), LoadProgress())
        let reader = LoadReader(source, progress: progress)
        source.give(.success(Data([1])), .failure(PasteboardError(.sourceTruncated, message: "too short")))
        #expect(try await reader.next() == Data([1]))
        for _ in 0..<2 {
            let error = await #expect(throws: PasteboardError.self) { try await reader.next() }
            #expect(error?.message == "too short")
        }
        #expect(!progress.isFinished)
    }

    @Test("A second concurrent reader is refused, and the first one continues")
    func second() async throws {
        let source = TestChunks()
        let reader = LoadReader(source)
        let first = Task { try await reader.next() }
        await source.asked()
        let error = await #expect(throws: PasteboardError.self) { try await reader.next() }
        #expect(error?.message == "only one task at a time can read the chunks of a load")
        source.give(.success(Data([1])))
        #expect(try await first.value == Data([1]))
    }

    @Test("A cancelled read cancels the source and ends the load")
    func cancelledRead() async throws {
        let source = TestChunks()
        let reader = LoadReader(source)
        let read = Task { try await reader.next() }
        await source.asked()
        read.cancel()
        let error = await #expect(throws: PasteboardError.self) { try await read.value }
        #expect(error?.code == .cancelled)
        #expect(source.isCancelled)
        // A chunk that arrives after the cancellation is dropped.
        source.give(.success(Data([1])))
        await #expect(throws: PasteboardError.self) { try await reader.next() }
    }

    @Test("A cancelled progress cancels the load")
    func cancelledProgress() async throws {
        let (source, progress) = (TestChunks(), LoadProgress())
        let reader = LoadReader(source, progress: progress)
        progress.cancel()
        #expect(source.isCancelled)
        let error = await #expect(throws: PasteboardError.self) { try await reader.next() }
        #expect(error?.code == .cancelled)
    }

    @Test("A deadline ends a load without a reader")
    func deadline() async throws {
        let stopped = Gate()
        let source = TestChunks { stopped.open() }
        let reader = LoadReader(source, deadline: LoadDeadline(.milliseconds(1)))
        await stopped.wait()
        let error = await #expect(throws: PasteboardError.self) { try await reader.next() }
        #expect(error?.message == "the load did not end within 0.001 seconds")
    }

    @Test("Releasing a reader cancels its source and ends its progress")
    func released() {
        let (source, progress) = (TestChunks(), LoadProgress())
        var reader: LoadReader? = LoadReader(source, progress: progress)
        withExtendedLifetime(reader) {}
        reader = nil
        #expect(source.isCancelled)
        #expect(progress.now.isOver)
    }

    @Test("Taking all bytes at once requests no chunk and completes the progress")
    func readAll() async throws {
        let (source, progress) = (TestChunks(byteCount: 5), LoadProgress())
        let reader = LoadReader(source, progress: progress)
        try await reader.readAll { isOver in #expect(!isOver()) }
        #expect(!source.isAsked)
        #expect(progress.completedUnitCount == 5)
        #expect(progress.isFinished)
        let other = LoadReader(TestChunks())
        await #expect(throws: PasteboardError.self) { try await other.readAll { _ in throw Refused() } }
    }

    @Test("A reader can be the source of another load, with the same size and the same limits")
    func source() async throws {
        let (source, progress) = (TestChunks(byteCount: 2), LoadProgress())
        let outer = LoadReader(LoadReader(source, progress: progress))
        #expect(outer.byteCount == 2)
        source.give(.success(Data([1])), .success(Data([2])), .success(nil))
        #expect(try await outer.next() == Data([1]))
        #expect(try await outer.next() == Data([2]))
        #expect(try await outer.next() == nil)
        #expect(progress.isFinished)
    }

    @Test("The chunks of a load can be iterated only once")
    func once() async throws {
        let chunks = ByteChunks(LoadReader(ChunkStream(Data([1, 2]))), type: .data)
        #expect(chunks.byteCount == 2)
        var data = Data()
        for try await chunk in chunks { data.append(chunk) }
        #expect(data == Data([1, 2]))
        var second = chunks.makeAsyncIterator()
        let error = await #expect(throws: PasteboardError.self) { try await second.next() }
        #expect(error?.message == "the chunks of a load can be iterated only once")
    }

    @Test("Releasing the chunks without an iterator, or the iterator that has read some, cancels the load")
    func releasedChunks() async throws {
        let source = TestChunks()
        var chunks: ByteChunks? = ByteChunks(LoadReader(source), type: .data)
        withExtendedLifetime(chunks) {}
        chunks = nil
        #expect(source.isCancelled)

        let read = TestChunks()
        read.give(.success(Data([1])))
        for try await chunk in ByteChunks(LoadReader(read), type: .data) {
            #expect(chunk == Data([1]))
            break
        }
        #expect(read.isCancelled)
    }
}
