import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess)
struct DropWindowTests {
    /// A window, and the number of times that it became quiet.
    private let window = DropWindow()
    private let quiet = Counter()

    private func watch() {
        window.whenQuiet { [quiet] in quiet.increment() }
    }

    @Test("A load belongs to the drop only while the window is open")
    func begin() async {
        let given = LoadProgress()
        #expect(window.begin(given, item: 0) === given)
        #expect(window.begin(nil, item: 0) == nil)
        window.open()
        let part = window.begin(nil, item: 0)
        #expect(part != nil)
        #expect(!window.isQuiet)
        part?.end(byteCount: 3)
        #expect(window.isQuiet)
        await window.close()
        #expect(window.begin(given, item: 0) === given)
        #expect(window.isQuiet)
    }

    @Test("The window becomes quiet once, after its last load and hold have ended")
    func quietOnce() async {
        window.open()
        let loads = (0..<2).map { window.begin(nil, item: $0) }
        let hold = window.hold()
        await window.close()
        watch()
        loads[0]?.end(byteCount: 1)
        // Only the first end of a load counts.
        loads[0]?.end(byteCount: 1)
        hold.release()
        #expect(quiet.value == 0)
        loads[1]?.end(byteCount: 1)
        #expect(quiet.value == 1)
        #expect(window.progress.isFinished)
        watch()
        #expect(quiet.value == 2)
    }

    @Test("A drop with a failed load does not complete its progress")
    func failedLoad() async {
        window.open()
        let load = window.begin(nil, item: 0)
        await window.close()
        watch()
        load?.end(byteCount: nil)
        #expect(quiet.value == 1)
        #expect(!window.progress.isFinished)
    }

    @Test("A call keeps the window open until its load begins, and the drop incomplete until its callback returns")
    func call() async throws {
        #expect(window.call() == nil)
        window.open()
        let call = try #require(window.call())
        let (closing, closed) = (Gate(), Gate())
        let task = Task { [window] in
            closing.open()
            await window.close()
            closed.open()
        }
        await closing.wait()
        // The window stays open until the load has begun, so another load can begin too.
        let load = window.begin(nil, item: 0)
        #expect(load != nil)
        #expect(!closed.isOpen)
        call.begun()
        call.begun()
        await task.value
        #expect(window.call() == nil)
        watch()
        load?.end(byteCount: 0)
        #expect(quiet.value == 0)
        call.release()
        call.release()
        #expect(quiet.value == 1)
    }

    @Test("Releasing a call ends it")
    func released() async {
        window.open()
        var call = window.call()
        #expect(call != nil)
        #expect(!window.isQuiet)
        call = nil
        #expect(window.isQuiet)
        // No load is about to begin, so this returns.
        await window.close()
    }

    @Test("A window whose session has ended never becomes quiet")
    func over() async {
        window.open()
        let load = window.begin(nil, item: 0)
        await window.close()
        watch()
        window.end()
        load?.end(byteCount: 1)
        watch()
        #expect(quiet.value == 0)
    }

    @Test("The end of the session ends the wait for loads that have not begun")
    func endWhileClosing() async throws {
        window.open()
        let call = try #require(window.call())
        let closing = Gate()
        let task = Task { [window] in
            closing.open()
            await window.close()
        }
        await closing.wait()
        window.end()
        await task.value
        call.release()
    }

    // MARK: Arrived items

    @Test("An item is lost unless one of its loads succeeded and its bytes were stored")
    func loss() {
        window.open()
        #expect(window.loss == nil)
        window.begin(nil, item: 1)?.end(byteCount: nil)
        #expect(window.loss == "item 2 did not arrive completely")
        window.begin(nil, item: 1)?.end(byteCount: 5)
        #expect(window.loss == nil)
        window.lose(1)
        #expect(window.loss == "item 2 did not arrive completely")
    }

    @Test("The first reason why a drop fails is kept")
    func failure() throws {
        window.open()
        let call = try #require(window.call())
        call.fail("first")
        window.hold().fail("second")
        #expect(window.failure == "first")
        call.release()
    }

    @Test("Items can be taken without a load from the drop until the end of the session")
    func taken() async {
        window.taken(9)
        window.open()
        window.taken(2)
        await window.close()
        window.taken(1)
        window.end()
        window.taken(8)
        #expect(window.takenItems == [1, 2])
    }

    @Test("The failure of a session interrupts its drop while the handler runs")
    func interruption() async {
        let error = PasteboardError(.timeout, message: "too late")
        window.interrupt(error)
        #expect(window.interruption(isInTime: false) == nil)
        window.open()
        #expect(window.interruption(isInTime: false)?.code == .timeout)
        await window.close()
        #expect(window.interruption(isInTime: false) == nil)
    }

    @Test("A load that was in time gets the failure of the session also after the end of the window")
    func inTime() async throws {
        let error = PasteboardError(.sourceGone, message: "gone")
        window.open()
        let call = try #require(window.call())
        window.interrupt(error)
        window.end()
        call.begun()
        #expect(window.interruption(isInTime: true)?.code == .sourceGone)
        #expect(window.interruption(isInTime: false) == nil)
        call.release()
    }
}
