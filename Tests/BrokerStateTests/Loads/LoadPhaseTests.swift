import PasteboardWire
import TestSupport
import Testing

@testable import BrokerModel
@testable import BrokerState

/// Every event in every phase of a load: the phase that follows, and whether the destination gets an error.
@Suite("Phases of a load", .pure) struct LoadPhaseTests {
    enum Phase: String, CaseIterable {
        case queued, asked, flowing, passing, delivering
    }

    enum Event: CaseIterable {
        case data, lastData, progress, end, sourceError, credit, cancel, failure, delivered, passingRefused, sourceLeft,
            destinationLeft
    }

    /// `violation`: the sender must not send this frame in this phase.
    enum Outcome: Equatable {
        case stays, flows, delivers, asked, released, releasedWithError, deliversWithError, violation
    }

    @Test("Each event has one outcome in each phase, and a load ends once", arguments: Phase.allCases, Event.allCases)
    func table(_ phase: Phase, _ event: Event) throws {
        let (scene, ask) = try Self.scene(phase)
        #expect(scene.phase(ask) == phase.rawValue)
        scene.clearFrames()
        #expect(try Self.outcome(of: event, scene, ask, phase) == Self.expected(phase, event))
        if event != .sourceLeft, event != .destinationLeft {
            #expect(scene.loads.brokenConditions(in: scene.world).isEmpty)
        }
    }

    private static func expected(_ phase: Phase, _ event: Event) -> Outcome {
        switch (phase, event) {
        // The source was not asked yet.
        case (.queued, .data), (.queued, .lastData), (.queued, .progress), (.queued, .end), (.queued, .sourceError):
            .violation
        case (.queued, .cancel), (.queued, .destinationLeft): .released
        case (.queued, .failure), (.queued, .sourceLeft): .releasedWithError
        case (.queued, .credit), (.queued, .delivered), (.queued, .passingRefused): .stays

        case (.asked, .data), (.flowing, .data): .flows
        case (.asked, .lastData): .delivers
        case (.asked, .end), (.asked, .cancel), (.asked, .destinationLeft): .released
        case (.asked, .sourceError), (.asked, .failure), (.asked, .sourceLeft): .releasedWithError
        case (.asked, .progress), (.asked, .credit), (.asked, .delivered), (.asked, .passingRefused): .stays

        // Some bytes have arrived that the destination's socket has not accepted.
        case (.flowing, .lastData), (.flowing, .end), (.flowing, .cancel): .delivers
        case (.flowing, .sourceError), (.flowing, .failure), (.flowing, .sourceLeft): .deliversWithError
        case (.flowing, .destinationLeft): .released
        case (.flowing, .progress), (.flowing, .credit), (.flowing, .delivered), (.flowing, .passingRefused): .stays

        // The broker itself sends kept bytes, and the descriptor is in the destination's queue.
        case (.passing, .data), (.passing, .lastData), (.passing, .progress), (.passing, .end),
            (.passing, .sourceError):
            .violation
        case (.passing, .delivered), (.passing, .destinationLeft): .released
        case (.passing, .passingRefused): .asked
        case (.passing, .cancel): .delivers
        case (.passing, .credit), (.passing, .failure), (.passing, .sourceLeft): .stays

        // The load has ended: late frames of both sides are ignored.
        case (.delivering, .delivered), (.delivering, .destinationLeft): .released
        case (.delivering, .data), (.delivering, .lastData), (.delivering, .progress), (.delivering, .end),
            (.delivering, .sourceError), (.delivering, .credit), (.delivering, .cancel), (.delivering, .failure),
            (.delivering, .passingRefused), (.delivering, .sourceLeft):
            .stays
        }
    }

    /// A load that has been brought into a phase.
    private static func scene(_ phase: Phase) throws -> (scene: LoadScene, ask: UInt64) {
        switch phase {
        case .queued:
            let scene = LoadScene(places: 1)
            _ = try scene.begin(stream: 3)
            return (scene, try scene.begin())
        case .asked:
            let scene = LoadScene()
            return (scene, try scene.begin())
        case .flowing, .delivering:
            let scene = LoadScene()
            let ask = try scene.begin()
            _ = try scene.data(100, last: phase == .delivering, on: ask)
            return (scene, ask)
        case .passing:
            let scene = LoadScene(keptCount: 1 << 20)
            return (scene, try scene.begin())
        }
    }

    private static func outcome(of event: Event, _ scene: LoadScene, _ ask: UInt64, _ phase: Phase) throws -> Outcome {
        let load = LoadID(askStream: ask)
        var isViolation = false
        do throws(Failure) {
            try perform(event, scene, ask, load)
        } catch {
            isViolation = error.code == .protocolViolation
        }
        if isViolation { return .violation }
        let hasError = !scene.frames(to: scene.destination).filter { $0.stream == 5 }.codes.isEmpty
        switch scene.phase(ask) {
        case phase.rawValue where phase != .flowing: return .stays
        case "flowing": return event == .data ? .flows : .stays
        case "asked": return .asked
        case "delivering": return hasError ? .deliversWithError : .delivers
        default: return hasError ? .releasedWithError : .released
        }
    }

    private static func perform(_ event: Event, _ scene: LoadScene, _ ask: UInt64, _ load: LoadID) throws(Failure) {
        do {
            switch event {
            case .data: _ = try scene.data(10, on: ask)
            case .lastData: _ = try scene.data(10, last: true, on: ask)
            case .progress: try scene.handle(Progress(), on: ask)
            case .end: try scene.handle(End(byteCount: nil), on: ask)
            case .sourceError: try scene.handle(Failure(.sourceFailed, "no"), on: ask)
            case .credit:
                var credit = Credit()
                credit.offset = 1 << 40
                let (payload, stream, peer) = (credit.encoded, UInt64(5), scene.destination)
                _ = scene.loads.credit(on: stream, payload.span, from: peer, in: &scene.world)
            case .cancel:
                let empty: [UInt8] = []
                _ = try scene.loads.cancel(by: .cancel, on: 5, empty.span, from: scene.destination, in: &scene.world)
            case .failure:
                guard let slot = scene.loads.loadTable.find(load) else { return }
                scene.loads.fail(slot, .cancelled, in: &scene.world)
            case .delivered: scene.loads.delivered(load, count: 100, in: &scene.world)
            case .passingRefused: scene.loads.passingRefused(load, in: &scene.world)
            case .sourceLeft: scene.loads.peerLeft(scene.source, in: &scene.world)
            case .destinationLeft: scene.loads.peerLeft(scene.destination, in: &scene.world)
            }
        } catch let failure as Failure {
            throw failure
        } catch {}
    }

    @Test("Loads of a drag session report their ends in order, and other loads report nothing")
    func events() throws {
        let session = SessionID(slot: 4, generation: 1)
        let scene = LoadScene(session: session)
        let (first, second) = (try scene.begin(stream: 5), try scene.begin(stream: 7))
        _ = try scene.data(3, last: true, on: first)
        try scene.handle(Failure(.sourceFailed, "no"), on: second)
        #expect(scene.takeEvents() == ["ended in 4.1", "ended in 4.1: source-failed"])
        let other = LoadScene()
        _ = try other.data(3, last: true, on: other.begin())
        #expect(other.takeEvents().isEmpty)
    }
}
