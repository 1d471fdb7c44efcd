import PasteboardClient
import TestSupport
import Testing

@testable import DesktopClipboard

@Suite(.inProcess) struct TaskListTests {
    @Test("One program has half of the transfers, and all programs together the rest")
    func shares() throws {
        let loop = try Loop()
        try loop.start(named: "test-loop", stackSize: 1 << 20)
        defer { loop.end() }
        let (list, never) = (TaskList(on: loop), Mailbox<Void>(on: loop))
        let half = DesktopTime.transfers / 2
        func started(for client: UInt32?) -> Int {
            (0...DesktopTime.transfers).count { _ in list.start(for: client) { _ = await never.next() } }
        }
        #expect([1, 2, 3, nil].map(started) == [half, half, 0, 0])
        list.cancel()
    }
}
