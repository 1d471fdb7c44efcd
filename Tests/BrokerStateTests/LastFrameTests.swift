import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// An error on stream 0 is the last frame for its peer, whatever the peer had open. The harness checks the same after
/// every other test and in the random walks.
@Suite("The last frame of a connection", .pure) struct LastFrameTests {
    /// The objects of a connection that ends.
    enum Scene: CaseIterable {
        case enteredSession, loadOfDrop, ownLoad, ownSession, write, publication

        /// Returns a broker and a connection with the objects.
        func make() -> (broker: StateHarness, peer: PeerID) {
            switch self {
            case .enteredSession:
                var scene = DragScene()
                scene.begin()
                scene.track(.copy)
                return (scene.broker, scene.destination)
            case .loadOfDrop:
                var scene = DragScene()
                scene.dropped(.copy)
                scene.load()
                return (scene.broker, scene.destination)
            case .ownLoad:
                let broker = StateHarness()
                let peer = broker.connect()
                broker.promise("a", from: peer)
                broker.load(from: peer)
                return (broker, peer)
            case .ownSession:
                let broker = StateHarness()
                let peer = broker.connect()
                broker.register(from: peer)
                let drag = broker.drag(from: peer).stream
                broker.move(drag, to: "shelf", from: peer)
                return (broker, peer)
            case .write:
                let broker = StateHarness()
                let peer = broker.connect()
                _ = broker.begin(from: peer)
                return (broker, peer)
            case .publication:
                let broker = StateHarness()
                let peer = broker.connect()
                broker.promise("a", from: peer)
                broker.load(from: broker.connect())
                return (broker, peer)
            }
        }
    }

    @Test("Nothing follows the error for a violation", arguments: Scene.allCases)
    func violation(_ scene: Scene) {
        let (broker, peer) = scene.make()
        _ = broker.take(peer)
        // A request on an even stream.
        broker.raw(kind: FrameKind.list.rawValue, on: 2, from: peer)
        let frames = broker.take(peer)
        #expect(frames.map(\.stream) == [0] && frames.codes == [.protocolViolation])
        #expect(broker.closed == [peer] && broker.brokenInvariants().isEmpty)
    }

    @Test("Nothing follows the error for a timeout", arguments: Scene.allCases)
    func timeout(_ scene: Scene) {
        let (broker, peer) = scene.make()
        broker.partial(10, of: peer)
        broker.advance(by: 10_100)
        let frames = broker.take(peer)
        #expect(frames.last?.stream == 0 && frames.on(0).codes == [.timeout])
        #expect(broker.closed == [peer] && broker.brokenInvariants().isEmpty)
    }

    @Test("Nothing follows the error at the end of a drain", arguments: Scene.allCases)
    func drain(_ scene: Scene) {
        let (broker, peer) = scene.make()
        broker.drain()
        broker.endDraining()
        let frames = broker.take(peer)
        #expect(frames.last?.stream == 0 && frames.on(0).codes == [.brokerStopped])
        #expect(broker.held.peers == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("A refused connection is sent only its error")
    func refused() {
        let broker = StateHarness { $0.connections = 1 }
        _ = broker.connect()
        let peer = broker.connectSilently()
        let frames = broker.take(peer)
        #expect(frames.map(\.stream) == [0] && frames.codes == [.limitExceeded])
        broker.drain()
        broker.endDraining()
        #expect(broker.take(peer).isEmpty)
    }
}
