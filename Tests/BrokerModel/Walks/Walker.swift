import BrokerState

/// A stream of a peer.
package struct WalkStream: Hashable {
    let peer: PeerID
    let id: UInt64
}

/// Peers that do random things to a broker, and the rules for the frames that they are sent.
protocol WalkPart {
    var broker: StateHarness { get }
    /// The rules that were broken, except for the invariants of the broker.
    var broken: [String] { get }

    /// Performs one random action, and returns its name.
    mutating func step() -> String
    /// Lets everything end that the peers have begun, and disconnects them.
    mutating func finish()
    /// The kinds of events that a walk of the ordinary length has to contain, and did not.
    var missing: [String] { get }
}

extension WalkPart {
    /// Descriptions of the counts that are below their minimum.
    func tooFew(_ counts: [(name: String, count: Int, least: Int)]) -> [String] {
        counts.filter { $0.count < $0.least }.map { "\($0.count) \($0.name) of \($0.least)" }
    }
}

/// Performs random actions and checks the invariants of the broker. A seed or the bytes of a fuzzing input decide which
/// actions.
package struct Walker {
    package enum Theme: Int, CaseIterable, Sendable {
        /// Frames of any kind with any fields, and also ones that no correct client would send.
        case frames
        /// Writes, loads and watches.
        case boards
        /// Brokers that are killed, and their successors.
        case restarts
        /// Writes, loads and watches beside hostile peers.
        case everything
    }

    package let theme: Theme
    private let choices: Choices
    private var parts: [any WalkPart]

    package var broker: StateHarness { parts[0].broker }
    /// The kinds of events that the walk has to contain, and did not. The parts that share a broker have too few steps
    /// for the numbers of each.
    package var missing: [String] { (theme == .everything ? parts.suffix(1) : parts[...]).flatMap(\.missing) }

    /// - Parameter form: the variant of the theme; see the initializers of the parts.
    package init(
        _ theme: Theme,
        _ choices: Choices,
        form: UInt8 = 0,
        readsLoadsInPlace: Bool = true,
        reportingTo report: @escaping FaultReport
    ) {
        self.theme = theme
        self.choices = choices
        let broker = StateHarness(readsLoadsInPlace: readsLoadsInPlace, reportingTo: report) { limits in
            switch theme {
            case .frames: FrameWalk.set(&limits, form: form)
            case .boards: BoardWalk.set(&limits, form: form)
            case .restarts: break
            case .everything:
                BoardWalk.set(&limits, form: form)
                limits.connections = 16
            }
        }
        parts =
            switch theme {
            case .frames: [FrameWalk(broker, choices)]
            case .boards: [BoardWalk(broker, choices, form: form)]
            case .restarts: [RestartWalk(broker, choices)]
            case .everything:
                [BoardWalk(broker, choices, form: form), FrameWalk(broker, choices, isAlone: false)]
            }
    }

    package mutating func step() -> String {
        parts[parts.count == 1 ? 0 : choices.number(in: 0..<parts.count)].step()
    }

    /// The rules and invariants that are broken.
    package func brokenRules() -> [String] {
        parts.flatMap(\.broken) + broker.brokenInvariants()
    }

    /// Lets everything end, disconnects all peers and clears all boards. Then nothing may be charged to anybody.
    ///
    /// - Returns: the rules that are broken.
    package mutating func finish() -> [String] {
        for index in parts.indices { parts[index].finish() }
        let rest = broker.finish()
        return parts.flatMap(\.broken) + rest
    }
}
