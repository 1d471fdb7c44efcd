import PasteboardWire

/// What the driver holds for a peer that does not go on: frames that it does not read, and the part of a frame whose rest
/// does not come.
///
/// Bytes of loads are not in it: they have their own pool, and a destination may leave them lying.
struct Backlog: Sendable {
    var unread: UInt64 = 0
    var partial: UInt64 = 0
    /// Since when it has read nothing of so much that it is not read either.
    var unreadSince: UInt64?
    /// Since when nothing has come of the frame.
    var partialSince: UInt64?

    var count: UInt64 { self.unread + self.partial }

    func deadline(after patience: UInt64) -> UInt64? {
        guard let first = self.unreadSince ?? self.partialSince else { return nil }
        return min(first, self.partialSince ?? first).addingClamped(patience)
    }
}

extension BrokerState {
    /// Tells how many bytes wait for a peer to read, and with it.
    ///
    /// - Parameters:
    ///   - isHeldUp: whether these are so many that nothing new is done for it. Fewer may lie as long as they like, as
    ///     those of a program that is stopped in a debugger do: the pool bounds them.
    ///   - hasRead: whether it has taken some since the last time.
    package mutating func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool, hasRead: Bool) {
        self.sessions.setUnread(UInt64(clamping: count), of: peer)
        self.change(peer) { backlog, now in
            backlog.unread = UInt64(clamping: count)
            backlog.unreadSince = !isHeldUp ? nil : hasRead ? now : backlog.unreadSince ?? now
        }
    }

    /// Tells, when something has come from a peer, how many bytes of it are the part of a frame.
    package mutating func partial(_ count: Int, of peer: PeerID) {
        self.change(peer) { backlog, now in
            backlog.partial = UInt64(clamping: count)
            backlog.partialSince = count > 0 ? now : nil
        }
    }

    private mutating func change(_ peer: PeerID, _ change: (inout Backlog, UInt64) -> Void) {
        guard var backlog = self.peers[peer]?.backlog, let account = self.peers[peer]?.account else { return }
        let before = backlog.count
        change(&backlog, self.now)
        self.peers.update(peer) { $0.backlog = backlog }
        self.accounting.queue(backlog.count, insteadOf: before, for: account)
        if let deadline = backlog.deadline(after: self.limits.progress) { self.check(by: deadline) }
        while self.accounting.queued > self.limits.controlPool, let greatest = self.greatestBacklog {
            self.violation(
                by: greatest,
                Failure(
                    .limitExceeded,
                    "the process makes the broker hold more than any other, and limit control-pool is full: it does not "
                        + "read, or sends parts of frames"
                )
            )
        }
    }

    /// The greatest of the process whose connections have the most together.
    private var greatestBacklog: PeerID? {
        let account = self.accounting.mostQueued
        return self.peers.ids.filter { self.peers[$0]?.account == account }
            .max { (self.peers[$0]?.backlog.count ?? 0) < (self.peers[$1]?.backlog.count ?? 0) }
    }

    /// Ends a peer whose backlog has stood too long.
    mutating func checkBacklog(of peer: PeerID) {
        guard let deadline = self.peers[peer]?.backlog.deadline(after: self.limits.progress) else { return }
        if deadline > self.now { return self.check(by: deadline) }
        let what = "nothing was read of what waits, or nothing came of a frame that had begun,"
        self.violation(by: peer, Failure(.timeout, "\(what) for \(self.limits.progress) ms"))
    }
}
