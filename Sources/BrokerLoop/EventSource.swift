import BrokerState
package import PasteboardTransport
import PasteboardWire

/// A descriptor for which the loop waits besides connections.
package protocol EventSource: AnyObject {
    var descriptor: CInt { get }
    /// The event for which the loop waits: by default, input.
    var interest: Epoll.Interest { get }
    /// Called when the event has happened.
    func ready(in loop: inout BrokerLoop)
    /// Called when the broker drains. A source of new connections closes.
    func draining(in loop: inout BrokerLoop)
}

extension EventSource {
    package var interest: Epoll.Interest { .readable }
}

extension BrokerLoop {
    /// Tokens of epoll below this are the loop's own; those above are peers, whose generation is at least 1.
    static let firstPeerToken = UInt64(1) << 32
    static let timerToken = firstPeerToken - 1
    /// The time after which epoll is asked again to watch a paused source.
    private static let resumeMilliseconds: UInt64 = 100

    // MARK: Event sources

    package mutating func add(_ source: some EventSource) throws(SystemError) {
        let index = eventSources.firstIndex { $0 == nil } ?? eventSources.count
        try epoll.add(source.descriptor, source.interest, token: UInt64(index))
        if index == eventSources.count { eventSources.append(source) } else { eventSources[index] = source }
    }

    mutating func remove(_ source: some EventSource) {
        guard let index = eventSources.firstIndex(where: { $0 === source }) else { return }
        if !paused.contains(where: { $0.source == index }) { try? epoll.remove(source.descriptor) }
        paused.removeAll { $0.source == index }
        eventSources[index] = nil
    }

    /// Stops watching a source, which stays one of the loop's.
    mutating func unwatch(_ source: some EventSource) {
        guard let index = eventSources.firstIndex(where: { $0 === source }) else { return }
        try? epoll.remove(source.descriptor)
        paused.removeAll { $0.source == index }
    }

    /// Stops watching a source that is ready but can do nothing now: the loop would spin.
    mutating func pause(_ source: some EventSource, milliseconds: UInt64) {
        guard let index = eventSources.firstIndex(where: { $0 === source }) else { return }
        try? epoll.remove(source.descriptor)
        paused.append((index, clock.now + milliseconds))
    }

    mutating func resumePaused() {
        let now = clock.now
        let due = paused.filter { $0.until <= now }
        guard !due.isEmpty else { return }
        paused.removeAll { $0.until <= now }
        for (index, _) in due {
            guard let source = eventSources[index] else { continue }
            do throws(SystemError) {
                try epoll.add(source.descriptor, source.interest, token: UInt64(index))
            } catch {
                // Memory or the user's watches have run out. Without another attempt no client could connect again.
                paused.append((index, now + Self.resumeMilliseconds))
            }
        }
    }

    mutating func notify(_ index: Int) {
        guard index < eventSources.count, let source = eventSources[index] else { return }
        source.ready(in: &self)
    }

    mutating func notifyOfDraining() {
        for source in eventSources { source?.draining(in: &self) }
    }

    // MARK: Timer

    /// Sets the timer if something is due before the time to which it is set. A timer that expires early does no harm.
    mutating func armTimer() throws(SystemError) {
        expiryClock.run(state.world.context.nextExpiry != .max)
        let next = paused.reduce(state.world.context.nextCheck) { min($0, $1.until) }
        guard next < timerSetTo else { return }
        timerSetTo = next
        let (nanoseconds, isBeyond) = next.addingClamped(clock.lost).multipliedReportingOverflow(by: 1_000_000)
        try timer.set(to: isBeyond ? .max : nanoseconds)
    }

    mutating func drainTimer() {
        timer.drain()
        timerSetTo = .max
    }
}
