import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct LockTests {
    @Test("Only one thread at a time uses a locked value")
    func locks() throws {
        let lock = Lock(0)
        let threads = try (0..<4).map { number in
            try SystemThread(name: "counter \(number)") {
                for _ in 0..<1000 { lock.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(lock.withLock { $0 } == 4000)
    }
}
