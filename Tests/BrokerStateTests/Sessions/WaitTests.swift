import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Waits for destinations that are not registered yet.
@Suite("Waits for destinations", .pure) struct WaitTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let destination: PeerID

    init() {
        source = broker.connect("source", process: 1)
        destination = broker.connect("destination", process: 2)
    }

    private mutating func wait(_ name: String = "shelf", milliseconds: UInt64? = nil) -> UInt64 {
        var wait = Wait()
        wait.destination = name
        wait.milliseconds = milliseconds
        let stream = broker.newStream(of: source)
        broker.send(wait, on: stream, from: source)
        return stream
    }

    private mutating func everybodyLeaves() {
        broker.disconnect(source)
        broker.disconnect(destination)
        #expect(broker.held == .nothing)
    }

    @Test("A wait that exceeds its timeout fails with the name of the destination and the time")
    mutating func timeout() throws {
        _ = wait(milliseconds: 2_000)
        _ = wait("desk", milliseconds: 1_000)
        broker.advance(by: 1_000)
        #expect(broker.take(source).codes == [.nothingHere])
        broker.advance(by: 999)
        #expect(broker.take(source).isEmpty)
        broker.advance(by: 1)
        let failure = try #require(broker.take(source).first(Failure.self))
        #expect(failure.code == .nothingHere)
        #expect(failure.text == "no destination shelf was registered within 2000 ms")
        #expect(broker.held.waits == 0)
        everybodyLeaves()
    }

    @Test("A wait ignores a destination that is restricted to another process")
    mutating func hidden() {
        _ = wait()
        broker.register("shelf", from: destination) { $0.isOwnProcess = true }
        #expect(broker.take(source).isEmpty)
        everybodyLeaves()
    }

    @Test("A session that waits is not idle, and waits only for a destination that it may enter")
    mutating func session() throws {
        let (drag, handle) = broker.drag(from: source) { $0.isRestricted = true }
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        let stream = broker.newStream(of: source)
        broker.send(wait, on: stream, from: source)
        broker.register("shelf", from: destination)
        broker.advance(by: 599_000)
        #expect(broker.take(source).isEmpty, "the session is for its own process alone, and waits on")
        broker.send(Cancel(), on: drag, from: source)
        #expect(broker.take(source).on(stream).codes == [.superseded])
        everybodyLeaves()
    }

    @Test("A session that is dropped no longer waits")
    mutating func dropped() {
        let (drag, handle) = broker.drag(from: source)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        let stream = broker.newStream(of: source)
        broker.send(wait, on: stream, from: source)
        broker.send(Drop(), on: drag, from: source)
        #expect(broker.take(source).on(stream).codes == [.superseded])
        #expect(broker.held.waits == 0)
        everybodyLeaves()
    }

    @Test("A session whose wait has ended has the usual idle limit")
    mutating func idle() {
        let (_, handle) = broker.drag(from: source)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        broker.send(wait, on: broker.newStream(of: source), from: source)
        broker.advance(by: 290_000)
        broker.register("shelf", from: destination)
        #expect(broker.take(source).kinds == [.end])
        broker.advance(by: 299_000)
        #expect(broker.held.sessions == 1)
        broker.advance(by: 1_100)
        #expect(broker.held.sessions == 0)
        everybodyLeaves()
    }

    @Test("A wait for the session of another connection is refused")
    mutating func foreign() {
        let other = broker.connect("other")
        let (_, handle) = broker.drag(from: other)
        var wait = Wait()
        wait.destination = "shelf"
        wait.handle = handle
        broker.send(wait, on: broker.newStream(of: source), from: source)
        #expect(broker.take(source).codes == [.superseded])
        broker.disconnect(other)
        everybodyLeaves()
    }

    @Test("A wait beyond the limit of a process is refused")
    mutating func refused() {
        for _ in 0..<128 { _ = wait() }
        #expect(broker.take(source).isEmpty)
        _ = wait()
        #expect(broker.take(source).codes == [.limitExceeded])
        everybodyLeaves()
    }
}
