import PasteboardTransport
import TestSupport
import Testing

@testable import PasteboardKit

/// The threads on which handlers run.
@Suite(.inProcess)
struct ThreadPoolTests {
    @Test("Work that blocks its thread delays neither what was added before it nor what was added after it")
    func blocking() async {
        let (before, after) = (Gate(), Gate())
        let goOn = Semaphore()
        ThreadPool.shared.run { before.open() }
        ThreadPool.shared.run { goOn.wait() }
        ThreadPool.shared.run { after.open() }
        await before.wait()
        await after.wait()
        goOn.signal()
    }

    @Test("As many threads run as block, each until the next piece of work has run")
    func crowd() async {
        let ends = (0..<100).map { _ in Semaphore() }
        let isOver = Gate()
        for number in ends.indices {
            ThreadPool.shared.run {
                if number < ends.count - 1 { ends[number + 1].wait() }
                if number > 0 { ends[number].signal() } else { isOver.open() }
            }
        }
        await isOver.wait()
    }
}
