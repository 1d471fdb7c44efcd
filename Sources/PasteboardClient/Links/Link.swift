import PasteboardTransport
package import PasteboardWire

/// A link between the brokers of two machines: what is copied at one end can be pasted at the other.
///
/// It is a client of both. In each direction it watches and lists boards at one broker, and promises the same contents
/// to the other one; an ask of the second broker becomes a load from the first. Bytes are taken from one broker when
/// the other one has taken those before. A broker accepts contents of a link only if they are newer than its own, which
/// ends loops and decides between changes at both ends.
///
/// A link lasts as long as both connections. When it ends, both brokers end what depended on it.
package struct Link: Sendable {
    package enum Side: CaseIterable, Sendable {
        case near
        case far
    }

    /// Reports a failure in words.
    typealias Report = @Sendable (Failure, String) -> Void

    /// The end of a connection.
    package struct Lost: Error {
        package let side: Side
        package let failure: Failure
        package let loss: Loss

        package init(_ side: Side, _ failure: Failure, _ loss: Loss) {
            (self.side, self.failure, self.loss) = (side, failure, loss)
        }
    }

    private let near: LinkEnd
    private let far: LinkEnd
    /// Each board in both directions.
    private let directions: [(there: LinkDirection, back: LinkDirection)]
    private let drags: [LinkedDestinations]
    private let report: Report

    /// A link between two brokers that have answered hello.
    ///
    /// - Parameters:
    ///   - boards: the boards that cross.
    ///   - sides: the sides from which contents go to the other.
    ///   - report: called with a line about contents that a broker has refused.
    package init(
        near: LinkEnd,
        far: LinkEnd,
        boards: [String],
        from sides: [Side] = Side.allCases,
        permits: LinkedBoard.Permits = LinkedBoard.Permits(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.near, self.far) = (near, far)
        let report: Report = { failure, text in
            // The end of a broker is that of the link, after what is under way.
            let isEnd = [.brokerRestarted, .brokerStopped, .cancelled].contains(failure.code)
            if !isEnd, near.connection.failure == nil, far.connection.failure == nil { report(text) }
        }
        self.report = report
        // A third of the shortest deadline of the brokers.
        let deadlines = [near, far].map(\.connection.welcome).flatMap {
            [$0.firstByteMilliseconds, $0.progressMilliseconds]
        }
        let interval = deadlines.compactMap { $0 }.map { max(10, min(3_000, Int(clamping: $0) / 3)) }.min() ?? 3_000
        func direction(_ board: String, from side: Side) -> LinkDirection {
            let (from, to) = side == .near ? (near, far) : (far, near)
            return LinkDirection(
                board,
                from: from,
                to: to,
                isOpen: sides.contains(side),
                permits: permits,
                reportInterval: interval,
                report: report
            )
        }
        directions = boards.map { (direction($0, from: .near), direction($0, from: .far)) }
        drags = sides.map { side in
            let (front, back) = side == .near ? (near, far) : (far, near)
            return LinkedDestinations(
                front: front,
                back: back,
                reportInterval: interval,
                report: report
            )
        }
    }

    /// Lets contents cross until a connection is lost. Then both have ended.
    ///
    /// The loads of both brokers that wait for this link fail. What has arrived is sent on, as far as the other broker
    /// takes it within a second.
    ///
    /// - Throws: `Lost`; `cancelled` if the task is cancelled.
    package func run() async throws {
        var tasks: [Task<Void, Never>] = []
        for (there, back) in directions {
            tasks.append(start { () throws(RequestFailure) in try await there.run(vacated: back.vacated) })
            tasks.append(start { () throws(RequestFailure) in try await back.run(vacated: there.vacated) })
        }
        for drags in drags { tasks.append(start { () throws(RequestFailure) in try await drags.run() }) }
        defer {
            for task in tasks { task.cancel() }
            for (there, back) in directions {
                there.end()
                back.end()
            }
            for drags in drags { drags.end() }
            near.connection.end()
            far.connection.end()
        }
        await withTaskGroup(of: Void.self) { group in
            for end in [near, far] { group.addTask { await end.connection.ended() } }
            await group.next()
            group.cancelAll()
        }
        let other: BrokerConnection
        let lost: Lost
        if let failure = near.connection.failure {
            (other, lost) = (far.connection, Lost(.near, failure.failure, failure.loss))
        } else if let failure = far.connection.failure {
            (other, lost) = (near.connection, Lost(.far, failure.failure, failure.loss))
        } else {
            throw Failure(.cancelled, "the link was cancelled")
        }
        await other.answersEnded(until: MonotonicClock.deadline(milliseconds: 1_000))
        throw lost
    }

    private func start(_ body: @escaping @Sendable () async throws(RequestFailure) -> Void) -> Task<Void, Never> {
        Task(executorPreference: near.connection.loop) { [report] in
            do throws(RequestFailure) { try await body() } catch { report(error.failure, error.failure.text) }
        }
    }
}
