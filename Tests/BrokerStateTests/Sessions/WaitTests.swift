import BrokerState
import PasteboardWire
import Testing

/// Waits for destinations that are not registered yet.
@Suite("Waits for destinations") struct WaitTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let destination: PeerID

    init() {
        self.source = self.broker.connect("source", process: 1)
        self.destination = self.broker.connect("destination", process: 2)
    }

    private mutating func wait(_ name: String = "shelf", milliseconds: UInt64? = nil) -> UInt64 {
        var wait = Wait()
        wait.destination = name
        wait.milliseconds = milliseconds
        let stream = self.broker.newStream(of: self.source)
        self.broker.send(wait, on: stream, from: self.source)
        return stream
    }

    private mutating func everybodyLeaves() {
        self.broker.disconnect(self.source)
        self.broker.disconnect(self.destination)
        #expect(self.broker.held == .nothing)
    }

    @Test("A wait ends when its destination is registered, and not when another one is")
    mutating func registered() {
        let stream = self.wait()
        self.broker.register("desk", from: self.destination)
        self.broker.advance(by: 3_600_000)
        #expect(self.broker.take(self.source).isEmpty)
        self.broker.register("shelf", from: self.destination)
        let frames = self.broker.take(self.source)
        #expect(frames.kinds == [.end] && frames.first?.stream == stream)
        #expect(self.broker.held.waits == 0)
        self.everybodyLeaves()
    }

    @Test("A wait for a registered destination ends at once")
    mutating func there() {
        self.broker.register("shelf", from: self.destination)
        _ = self.wait()
        #expect(self.broker.take(self.source).kinds == [.end])
        self.everybodyLeaves()
    }

    @Test("A wait that exceeds its timeout fails with the name of the destination and the time")
    mutating func timeout() throws {
        _ = self.wait(milliseconds: 2_000)
        self.broker.advance(by: 1_999)
        #expect(self.broker.take(self.source).isEmpty)
        self.broker.advance(by: 21)
        let failure = try #require(self.broker.take(self.source).first(Failure.self))
        #expect(failure.code == .nothingHere)
        #expect(failure.text == "no destination shelf was registered within 2000 ms")
        #expect(self.broker.held.waits == 0)
        self.everybodyLeaves()
    }

    @Test("A wait ignores a destination that is restricted to another process")
    mutating func hidden() {
        _ = self.wait()
        self.broker.register("shelf", from: self.destination) { $0.isOwnProcess = true }
        #expect(self.broker.take(self.source).isEmpty)
        self.everybodyLeaves()
    }

    @Test("A wait that is cancelled, or whose process ends, leaves nothing behind")
    mutating func forgotten() {
        let stream = self.wait()
        self.broker.send(Cancel(), on: stream, from: self.source)
        #expect(self.broker.held.waits == 0)
        _ = self.wait()
        self.broker.disconnect(self.source)
        #expect(self.broker.held.waits == 0)
        self.broker.register("shelf", from: self.destination)
        #expect(self.broker.take(self.source).isEmpty)
    }

    @Test("A session that waits is not idle, and waits only for a destination that it may enter")
    mutating func session() throws {
        let (drag, handle) = self.broker.drag(from: self.source) { $0.isRestricted = true }
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        let stream = self.broker.newStream(of: self.source)
        self.broker.send(wait, on: stream, from: self.source)
        self.broker.register("shelf", from: self.destination)
        self.broker.advance(by: 599_000)
        #expect(self.broker.take(self.source).isEmpty, "the session is for its own process alone, and waits on")
        self.broker.send(Cancel(), on: drag, from: self.source)
        #expect(self.broker.take(self.source).on(stream).codes == [.superseded])
        self.everybodyLeaves()
    }

    @Test("A session that is dropped no longer waits")
    mutating func dropped() {
        let (drag, handle) = self.broker.drag(from: self.source)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        let stream = self.broker.newStream(of: self.source)
        self.broker.send(wait, on: stream, from: self.source)
        self.broker.send(Drop(), on: drag, from: self.source)
        #expect(self.broker.take(self.source).on(stream).codes == [.superseded])
        #expect(self.broker.held.waits == 0)
        self.everybodyLeaves()
    }

    @Test("A session whose wait has ended has the usual idle limit")
    mutating func idle() {
        let (_, handle) = self.broker.drag(from: self.source)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        self.broker.send(wait, on: self.broker.newStream(of: self.source), from: self.source)
        self.broker.advance(by: 290_000)
        self.broker.register("shelf", from: self.destination)
        #expect(self.broker.take(self.source).kinds == [.end])
        self.broker.advance(by: 299_000)
        #expect(self.broker.held.sessions == 1)
        self.broker.advance(by: 1_100)
        #expect(self.broker.held.sessions == 0)
        self.everybodyLeaves()
    }

    @Test("A wait for the session of another connection is refused")
    mutating func foreign() {
        let other = self.broker.connect("other")
        let (_, handle) = self.broker.drag(from: other)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        self.broker.send(wait, on: self.broker.newStream(of: self.source), from: self.source)
        #expect(self.broker.take(self.source).codes == [.superseded])
        self.broker.disconnect(other)
        self.everybodyLeaves()
    }

    @Test("A wait with an invalid name is refused, and so is a wait beyond the limit of a process")
    mutating func refused() {
        _ = self.wait("a/b")
        #expect(self.broker.take(self.source).codes == [.invalidArgument])
        for _ in 0..<128 { _ = self.wait() }
        #expect(self.broker.take(self.source).isEmpty)
        _ = self.wait()
        #expect(self.broker.take(self.source).codes == [.limitExceeded])
        self.everybodyLeaves()
    }

    @Test("Other frames on the stream of a wait end the connection", arguments: [FrameKind.begin, .enter])
    mutating func misfits(_ kind: FrameKind) {
        let stream = self.wait()
        self.broker.raw(kind: kind.rawValue, on: stream, from: self.source)
        #expect(self.broker.closed.contains(self.source))
        #expect(self.broker.held.waits == 0)
    }
}
