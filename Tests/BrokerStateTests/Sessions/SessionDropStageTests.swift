import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Each report of a destination in each stage of a drop, and each result. A missing row does not compile.
@Suite("Stages of a drop", .pure) struct SessionDropStageTests {
    private static let no = Failure(.noSpace, "no")

    // MARK: Reports

    /// The stages. `Failed` means that the handler failed, and `Lost` that the conclusion reports a failure.
    enum Stage: CaseIterable {
        case performed, performedFailed
        case concluded, concludedLost
        /// The destination has concluded, and the handler has returned.
        case bothGood, bothFailed, bothLost, bothFailedLost

        var stage: TransferStage {
            switch self {
            case .performed: .performed(.succeeded)
            case .performedFailed: .performed(.failed(no))
            case .concluded: .concluded(.succeeded, handler: nil)
            case .concludedLost: .concluded(.failed(no), handler: nil)
            case .bothGood: .concluded(.succeeded, handler: .succeeded)
            case .bothFailed: .concluded(.succeeded, handler: .failed(no))
            case .bothLost: .concluded(.failed(no), handler: .succeeded)
            case .bothFailedLost: .concluded(.failed(no), handler: .failed(no))
            }
        }
    }

    enum Report: CaseIterable {
        case performed, performedFailed, concluded, concludedLost

        var report: DestinationReport {
            switch self {
            case .performed: .performed(.succeeded)
            case .performedFailed: .performed(.failed(no))
            case .concluded: .concluded(.succeeded)
            case .concludedLost: .concluded(.failed(no))
            }
        }
    }

    /// The stage after a report; nil if the report adds nothing.
    private static func expected(_ report: Report, in stage: Stage) -> Stage? {
        switch report {
        case .performed:
            switch stage {
            case .concluded: .bothGood
            case .concludedLost: .bothLost
            case .performed, .performedFailed, .bothGood, .bothFailed, .bothLost, .bothFailedLost: nil
            }
        case .performedFailed:
            switch stage {
            case .performed: .performedFailed
            case .concluded, .bothGood: .bothFailed
            case .concludedLost, .bothLost: .bothFailedLost
            case .performedFailed, .bothFailed, .bothFailedLost: nil
            }
        case .concluded:
            switch stage {
            case .performed: .bothGood
            case .performedFailed: .bothFailed
            case .concluded, .concludedLost, .bothGood, .bothFailed, .bothLost, .bothFailedLost: nil
            }
        case .concludedLost:
            switch stage {
            case .performed, .bothGood: .bothLost
            case .performedFailed, .bothFailed: .bothFailedLost
            case .concluded: .concludedLost
            case .concludedLost, .bothLost, .bothFailedLost: nil
            }
        }
    }

    @Test("Each report counts once, and a failure counts even after a success", arguments: Report.allCases)
    func reports(_ report: Report) {
        for stage in Stage.allCases {
            var actual = stage.stage
            let expected = Self.expected(report, in: stage)
            #expect(actual.accepts(report.report) == (expected != nil), "\(report) while \(stage)")
            actual.handle(report.report)
            #expect(actual == (expected ?? stage).stage, "\(report) while \(stage)")
        }
    }

    // MARK: Results

    /// The states of the loads of a drop with two items.
    enum Loads: CaseIterable {
        case none, running, oneArrived, allArrived, oneFailed
        /// A load was complete, but its file could not be passed on.
        case oneLost
        /// One representation of an item has failed, and another has arrived.
        case secondTry
    }

    enum Result: Equatable {
        case pending, untouched, refused, incomplete, partial, complete

        init(_ result: DropResult) {
            self =
                switch result {
                case .pending: .pending
                case .untouched: .untouched
                case .refused: .refused
                case .incomplete: .incomplete
                case .partial: .partial
                case .complete: .complete
                }
        }
    }

    private static func expected(_ loads: Loads, _ operation: DropOperation, in stage: Stage) -> Result {
        switch stage {
        case .performedFailed, .bothFailed, .bothFailedLost:
            switch loads {
            case .running: .pending
            case .none, .oneArrived, .allArrived, .oneFailed, .oneLost, .secondTry: .refused
            }
        case .performed:
            switch loads {
            case .none: .untouched
            case .running, .oneArrived, .allArrived: .pending
            case .oneFailed, .oneLost: .incomplete
            case .secondTry: operation == .move ? .incomplete : .pending
            }
        case .concluded, .bothGood:
            switch loads {
            case .none: .untouched
            case .running: .pending
            case .oneArrived: operation == .move ? .partial : .complete
            case .allArrived: .complete
            case .oneFailed, .oneLost: .incomplete
            case .secondTry: operation == .move ? .incomplete : .complete
            }
        case .concludedLost, .bothLost:
            switch loads {
            case .none, .oneArrived, .allArrived: .refused
            case .running: .pending
            case .oneFailed, .oneLost: .incomplete
            case .secondTry: operation == .move ? .incomplete : .refused
            }
        }
    }

    private static func drop(_ loads: Loads, _ operation: DropOperation) -> SessionDrop {
        var drop = SessionDrop(
            destinationSession: DestinationSessionID(slot: 0, generation: 1),
            operation: operation,
            at: 0
        )
        func end(_ item: UInt32, _ representation: UInt32 = 0, _ failure: Failure? = nil) {
            let part = PublicationPart(item: item, representation: representation)
            drop.loadBegan(part)
            drop.loadEnded(part, failure, at: 1)
        }
        switch loads {
        case .none: break
        case .running: drop.loadBegan(PublicationPart(item: 0, representation: 0))
        case .oneArrived: end(0)
        case .allArrived:
            end(0)
            end(1)
        case .oneFailed:
            end(0)
            end(1, 0, no)
        case .oneLost:
            end(0)
            end(1)
            drop.loadLost(PublicationPart(item: 1, representation: 0), no)
        case .secondTry:
            end(0)
            end(1, 0, no)
            end(1, 1)
        }
        return drop
    }

    @Test("Each stage with each state of the loads has one result", arguments: [DropOperation.copy, .move])
    func results(_ operation: DropOperation) {
        for stage in Stage.allCases {
            for loads in Loads.allCases {
                let drop = Self.drop(loads, operation)
                let result = Result(drop.result(in: stage.stage, itemCount: 2))
                #expect(result == Self.expected(loads, operation, in: stage), "\(loads) while \(stage)")
                if operation == .move, result == .complete {
                    #expect(drop.items == [0, 1] && drop.missing == nil, "a move is whole or not at all")
                }
            }
        }
    }

    @Test("A file that could not be passed on has not arrived")
    func refusedDescriptor() {
        var scene = DragScene(descriptors: true)
        scene.dropped(.move)
        scene.broker.refusesDescriptors = true
        let load = scene.load { $0.descriptorWelcome = true }
        _ = scene.framesToSource()
        let answer = Answer(byteCount: 9).encoded
        scene.broker.pass(.readOnlyFile, kind: .answer, payload: answer, on: scene.ask, from: scene.source)
        #expect(scene.framesToDestination().on(load).codes == [.limitExceeded])
        scene.performed()
        scene.conclude()
        #expect(scene.result().transferred?.failure?.code == .limitExceeded)
    }
}
