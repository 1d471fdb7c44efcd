import PasteboardTransport
import PasteboardWire

/// The destinations of one machine, and their counterparts on the other: a destination has a counterpart `NAME@MACHINE`
/// there, and each drag session at it is repeated at the destination itself.
final class LinkedDestinations: Sendable {
    private struct Counterpart {
        let types: [String]
        let serving: Task<Void, Never>
    }

    private struct State {
        var counterparts: [String: Counterpart] = [:]
        /// The destinations that the broker of the front has refused, each of which is reported once. They are tried
        /// again when destinations change.
        var refused: Set<String> = []
    }

    /// The machine with the counterparts.
    private let front: LinkEnd
    /// The machine with the destinations.
    private let back: LinkEnd
    private let reportInterval: Int
    private let report: Link.Report
    private let state = Lock(State())

    init(front: LinkEnd, back: LinkEnd, reportInterval: Int, report: @escaping Link.Report) {
        self.front = front
        self.back = back
        self.reportInterval = reportInterval
        self.report = report
    }

    /// Keeps the counterparts like the destinations until a broker ends.
    func run() async throws(RequestFailure) {
        var changes = back.connection.watchDestinations(since: 0)
        let others = Task(executorPreference: front.connection.loop) { [front, changes = changes.shared] in
            // A destination of the front may have had the name of a counterpart, and end.
            var watch = front.connection.watchDestinations(since: 0)
            while (try? await watch.destinationsChanged()) != nil { changes.nudge() }
        }
        defer { others.cancel() }
        while true {
            try await changes.destinationsChanged()
            // If the list fails, the broker is ending. Its destinations may still take drops.
            if let listed = try? await back.connection.destinations() { await adjust(to: listed) }
        }
    }

    /// Ends the counterparts.
    func end() {
        for counterpart in state.withLock({ exchange(&$0.counterparts, with: [:]) }).values {
            counterpart.serving.cancel()
        }
    }

    /// Registers counterparts of new destinations, and ends those of destinations that have ended. Counterparts of a
    /// link have none.
    private func adjust(to listed: [DestinationStatus]) async {
        let wanted = Dictionary(
            listed.filter { !$0.name.contains("@") }.map { ($0.name, $0.types) },
            uniquingKeysWith: { first, _ in first }
        )
        let ended = state.withLock { state in
            state.refused.formIntersection(wanted.keys)
            let ended = state.counterparts.filter { wanted[$0.key] != $0.value.types }
            for name in ended.keys { state.counterparts[name] = nil }
            return ended.values.map(\.serving)
        }
        for serving in ended {
            serving.cancel()
            // The broker must know its end before another one has the name.
            await serving.value
        }
        for (name, types) in wanted where state.withLock({ $0.counterparts[name] == nil }) {
            let serving = Task(executorPreference: front.connection.loop) { await self.serve(name, types) }
            state.withLock { $0.counterparts[name] = Counterpart(types: types, serving: serving) }
        }
    }

    /// Repeats the sessions at a counterpart, until its destination ends.
    private func serve(_ name: String, _ types: [String]) async {
        var destination = Destination()
        destination.name = "\(name)@\(back.machine)"
        destination.accepts = types.map { Accept($0) }
        destination.allowsSimultaneousSessions = true
        do throws(RequestFailure) {
            var stream = try await front.connection.register(destination)
            while true {
                guard let session = try await stream.nextSession() else { continue }
                Task(executorPreference: front.connection.loop) { [front, back, reportInterval] in
                    await LinkedSession.run(session, at: name, from: front, to: back, reportInterval: reportInterval)
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            // Another destination has the name of the counterpart, or the broker does not allow it.
            state.withLock { $0.counterparts[name] = nil }
            guard state.withLock({ $0.refused.insert(name).inserted }) else { return }
            report(
                error.failure,
                "destination \(name) of \(back.machine) is not on \(front.machine): \(error.failure.text)"
            )
        }
    }
}
