import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct EpollTests {
    @Test("Readiness is reported again until it is drained, and no more after removal")
    func levelTriggered() throws {
        let epoll = try Epoll()
        let wake = try EventDescriptor()
        var events = EpollEvents()
        try epoll.add(wake.raw, .readable, token: UInt64.max - 1)
        try epoll.wait(into: &events, milliseconds: 0)
        #expect(events.count == 0)
        wake.signal()
        wake.signal()
        for _ in 0..<2 {
            try epoll.wait(into: &events, milliseconds: nil)
            #expect(events.count == 1)
            #expect(events[0].token == UInt64.max - 1)
            #expect(events[0].isReadable)
            #expect(!events[0].isWritable)
        }
        wake.drain()
        wake.drain()
        try epoll.wait(into: &events, milliseconds: 0)
        #expect(events.count == 0)
        wake.signal()
        try epoll.remove(wake.raw)
        try epoll.wait(into: &events, milliseconds: 0)
        #expect(events.count == 0)
    }

    @Test("Interest can change, and the peer's end is readable")
    func interest() throws {
        let epoll = try Epoll()
        let pair = try Socket.pair()
        var events = EpollEvents()
        try epoll.add(pair.first.raw, [.readable, .writable], token: 1)
        try epoll.wait(into: &events, milliseconds: nil)
        #expect(events[0].isWritable && !events[0].isReadable)
        try epoll.modify(pair.first.raw, .readable, token: 2)
        try epoll.wait(into: &events, milliseconds: 0)
        #expect(events.count == 0)
        try Socket.endWriting(pair.second.raw)
        try epoll.wait(into: &events, milliseconds: nil)
        #expect(events[0].token == 2 && events[0].isReadable)
    }

    @Test("The removal of a descriptor that was not added fails with an error that names it")
    func unknown() throws {
        let epoll = try Epoll()
        let wake = try EventDescriptor()
        let error = #expect(throws: SystemError.self) { try epoll.remove(wake.raw) }
        #expect(error?.description == "epoll_ctl descriptor \(wake.raw): No such file or directory")
    }
}
