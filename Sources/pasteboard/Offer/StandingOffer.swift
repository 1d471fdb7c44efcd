import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end, or until a signal.
final class StandingOffer: Sendable {
    private enum Event: Sendable {
        case ended(EndReason)
        case signal(CInt)
        /// - error: the reason why the broker could not take the rest.
        case handedOver((any Error)?)
    }

    private let offer: Offer
    private let served: ServedItems
    private let signals: SignalBox
    private let keepsOnExit: Bool
    private let isWithdrawn = Lock(false)

    /// - Parameter keepsOnExit: whether the promises are handed over if a signal ends the offer before its contents
    ///   end. Otherwise they are withdrawn.
    init(_ offer: Offer, _ served: ServedItems, _ signals: SignalBox, keepsOnExit: Bool) {
        (self.offer, self.served, self.signals, self.keepsOnExit) = (offer, served, signals, keepsOnExit)
    }

    /// Returns once the contents were replaced or cleared and the last load is done, or were handed over.
    func run() async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { .ended(try await self.offer.serve { self.report($0) }) }
            awaitSignal(in: &group)
            var handingOver: (driver: HandingOver, signal: CInt)?
            while true {
                let next: Event?
                do { next = try await group.next() } catch {
                    if let (driver, _) = handingOver {
                        driver.dropRest(CommandFailure(error).text ?? "interrupted")
                        report(driver.handOver, isLost: true)
                    }
                    throw error
                }
                switch next {
                case nil: return
                case .ended:
                    if let handingOver { throw CommandFailure.signaled(handingOver.signal) }
                    return
                case .signal(let signal):
                    if let (driver, _) = handingOver {
                        driver.dropRest("interrupted")
                        report(driver.handOver, isLost: offer.isLost)
                    } else if !offer.isOver {
                        guard !keepsOnExit else {
                            handingOver = (handOver(in: &group), signal)
                            awaitSignal(in: &group)
                            continue
                        }
                        await withdraw()
                    }
                    throw CommandFailure.signaled(signal)
                case .handedOver(let error):
                    guard let (driver, signal) = handingOver else { continue }
                    if let error { driver.dropRest(CommandFailure(error).text ?? "interrupted") }
                    let handOver = driver.handOver
                    if error != nil || !offer.isOver { report(handOver, isLost: error != nil) }
                    if let error { throw error }
                    if handOver.dropped.isEmpty, !offer.isOver { return }
                    if handOver.kept.isEmpty { await withdraw() }
                    throw CommandFailure.signaled(signal)
                }
            }
        }
    }

    private func withdraw() async {
        isWithdrawn.withLock { $0 = true }
        await offer.withdraw()
    }

    private func awaitSignal(in group: inout ThrowingTaskGroup<Event, any Error>) {
        group.addTask { [signals, loop = offer.brokers.loop] in .signal(try await signals.next(on: loop)) }
    }

    // MARK: The hand-over

    private func handOver(in group: inout ThrowingTaskGroup<Event, any Error>) -> HandingOver {
        let deadline = MonotonicClock.deadline(milliseconds: HandOver.duration)
        let driver = HandingOver(of: offer, served.items, until: deadline) { [served] in
            try await served.bytes(of: $0, $1)
        }
        group.addTask {
            do {
                try await driver.run()
                return .handedOver(nil)
            } catch {
                return .handedOver(error)
            }
        }
        return driver
    }

    /// Reports what was kept and what was not, in the order of the offer: programs end in any order.
    private func report(_ handOver: HandOver, isLost: Bool) {
        func type(_ promise: HandOver.Promise) -> String {
            served.items[promise.item].representations[promise.representation].type
        }
        let kept = handOver.kept.sorted().map(type).joined(separator: ", ")
        var text = kept.isEmpty ? "kept nothing" : isLost ? "the broker that ended had kept \(kept)" : "kept \(kept)"
        let dropped = handOver.dropped.sorted { $0.key < $1.key }.map { "\(type($0.key)) (\($0.value))" }
        if !dropped.isEmpty { text += "; not kept: \(dropped.joined(separator: ", "))" }
        StandardStreams.remark(text)
    }

    private func report(_ reason: EndReason) {
        guard !isWithdrawn.withLock({ $0 }) else { return }
        let how =
            switch reason {
            case .cleared: "was cleared"
            case .expired: "has expired"
            case .loaded: "was pasted for the last time"
            default: "was replaced by other contents"
            }
        StandardStreams.remark("the offer \(how)")
    }
}
