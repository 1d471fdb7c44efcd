import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct SignalDescriptorTests {
    @Test("Blocked signals are read from the descriptor")
    func signals() throws {
        let received = Lock<[CInt?]>([])
        let thread = try SystemThread(name: "signals") {
            guard let descriptor = try? SignalDescriptor([SIGUSR1, SIGTERM]) else { return }
            pthread_kill(pthread_self(), SIGUSR1)
            let first = (try? descriptor.next()) ?? nil
            let second = (try? descriptor.next()) ?? nil
            received.withLock { $0 = [first, second] }
        }
        thread.join()
        #expect(received.withLock { $0 } == [SIGUSR1, nil])
    }
}
