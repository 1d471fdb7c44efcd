import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Contents that this program has published, at the present broker or, after a loss, at the next one.
final class PublishedContents: Sendable {
    let items: PublishedItems
    let offer: Offer
    /// The way in which the ownership was lost.
    let end = SharedResult<Publication.Outcome>()
    /// The order of the additions, whose requests contain the number of items.
    let additions = CallOrder()
    private let isWithdrawn = Lock(false)
    private let serving = CancellableTask()

    /// - Parameter offer: contents that stand.
    init(_ items: PublishedItems, _ offer: Offer) {
        self.items = items
        self.offer = offer
        serving.adopt(
            Task.detached(executorPreference: ThreadPool.calls) {
                do {
                    _ = try await offer.serve { reason in
                        self.end.resolve(
                            Publication.Outcome(reason, isWithdrawn: self.isWithdrawn.withLock(\.self))
                        )
                    }
                } catch {
                    self.end.resolve(.brokerGone)
                }
            }
        )
    }

    /// Whether the contents are secret.
    var isConcealed: Bool { offer.write.terms?.isConcealed == true }

    /// The contents at a broker. If it is lost, waits until they are at the next one.
    ///
    /// - Throws: `superseded` if the ownership was lost.
    func current(for call: Call) async throws(PasteboardError) -> Offer.Placement {
        if let placement = await offer.current(until: call.end) { return placement }
        if Task.isCancelled { throw call.cancelled }
        guard offer.isOver else { throw call.timedOut }
        throw PasteboardError(
            .superseded,
            message: "this program no longer owns these contents, so nothing can be added or handed over; write "
                + "them again"
        )
    }

    /// Waits until all loads of the contents have ended and their bytes have been written to the socket, or until the
    /// connection ends, or until the deadline.
    func answersEnded(by deadline: LoadDeadline? = nil) async {
        guard let last = offer.last else { return }
        await last.connection.answersEnded(of: last.committed.handle, until: deadline?.end ?? .max)
    }

    /// Sets whether a clear of the pasteboard is this program's own, which is reported as
    /// ``Publication/Outcome/withdrawn``.
    func withdraws(_ isWithdrawn: Bool) { self.isWithdrawn.withLock { $0 = isWithdrawn } }

    /// Ends contents that are lost, and would be written again, as withdrawn.
    func withdrawIfLost() { if offer.isLost, offer.isRestorable { endPromises() } }

    /// Ends the contents as withdrawn, without the broker: it is lost, or it has refused to clear the pasteboard.
    func endPromises() {
        // Resolved first, so that this counts.
        end.resolve(.withdrawn)
        offer.end()
        serving.cancel()
    }

    /// Ends the ownership of contents that the broker has completely.
    func handedOver() {
        end.resolve(.handedOver)
        offer.leave()
    }
}

extension Publication.Outcome {
    fileprivate init(_ reason: EndReason, isWithdrawn: Bool) {
        switch reason {
        case .cleared: self = isWithdrawn ? .withdrawn : .cleared
        case .expired: self = .expired
        case .loaded: self = .loaded
        default: self = .replaced
        }
    }
}
