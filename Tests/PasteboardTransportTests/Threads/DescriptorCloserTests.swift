import TestSupport
import Testing

@testable import PasteboardTransport

@Suite(.pure) struct DescriptorCloserTests {
    @Test("A closer closes its descriptors, even after it has been released")
    func closer() throws {
        let ends = try Socket.pair()
        var closer: DescriptorCloser? = DescriptorCloser()
        var box: DescriptorBox? = DescriptorBox(try System.duplicate(ends.first.raw), closer: closer)
        let passed = ReceivedDescriptors(closer: closer)
        #expect(box != nil && passed.isEmpty)
        var pipe: DescriptorPair? = try System.pipe()
        let reading = try System.duplicate(pipe?.first.raw ?? -1)
        var writing: DescriptorBox? = DescriptorBox(try System.duplicate(pipe?.second.raw ?? -1), closer: closer)
        _ = pipe.take()
        #expect(writing != nil)
        writing = nil
        // The end of the pipe is its last writer's close.
        #expect(try System.read(reading.raw, upTo: 1) == [])
        box = nil
        closer = nil
    }

    @Test("Closes that are stuck occupy one thread each and do not delay other descriptors")
    func stuckCloses() throws {
        let stuck = Lock<Set<CInt>>([])
        let release = Semaphore()
        let closer = DescriptorCloser { number in
            if stuck.withLock({ $0.contains(number) }) { release.wait() }
            _ = OwnedDescriptor(adopting: number)
        }
        for count in 1...3 {
            let raw = try System.duplicate(0).release()
            stuck.withLock { _ = $0.insert(raw) }
            closer.close(OwnedDescriptor(adopting: raw))
            let pipe = try System.pipe()
            let reading = try System.duplicate(pipe.first.raw)
            for _ in 0..<3 { closer.close(try System.duplicate(pipe.second.raw)) }
            _ = consume pipe
            // The end of the pipe is its last writer's close.
            #expect(try System.read(reading.raw, upTo: 1) == [])
            #expect(closer.waitingCount >= count)
        }
        for _ in 0..<3 { release.signal() }
    }
}
