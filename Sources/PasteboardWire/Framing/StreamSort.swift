/// The sort of a stream, which its number shows.
@usableFromInline package enum StreamSort: Sendable, CaseIterable {
    /// Stream 0.
    case connection
    /// Opened by a client.
    case request
    /// Opened by the broker, for a load.
    case ask
    /// Opened by the broker, for a drag session at a destination.
    case session
}

extension StreamID {
    @inlinable @inline(__always) package var sort: StreamSort {
        if isOpenedByClient { return .request }
        if rawValue == 0 { return .connection }
        return isDestinationSession ? .session : .ask
    }
}

extension FrameKind {
    /// Whether a client may send the kind on this sort of stream at all. `Protocol.md` and `frame-kinds.tsv` state the
    /// same, and tests compare them.
    @inlinable
    package func fits(_ sort: StreamSort) -> Bool {
        // One bit for each number: the test is made for every frame.
        let kinds: UInt64 =
            switch sort {
            case .connection: Self.hello.bit | Self.inline.bit | Self.error.bit
            case .request: Self.kindsOnRequests
            case .ask: Self.answer.bit | Self.data.bit | Self.end.bit | Self.error.bit | Self.progress.bit
            case .session: Self.kindsOnSessions
            }
        return kinds & bit != 0
    }

    @usableFromInline static var kindsOnRequests: UInt64 {
        @inlinable @inline(__always) get {
            write.bit | item.bit | commit.bit | load.bit | list.bit | clear.bit | status.bit | stop.bit | drag.bit
                | destination.bit | begin.bit | move.bit | drop.bit | wait.bit | data.bit | error.bit | cancel.bit
                | credit.bit | enter.bit | watch.bit | createBoard.bit
        }
    }

    @usableFromInline static var kindsOnSessions: UInt64 {
        @inlinable @inline(__always) get {
            performed.bit | conclude.bit | error.bit | cancel.bit | progress.bit | exit.bit | proposal.bit
        }
    }

    @usableFromInline var bit: UInt64 {
        @inlinable @inline(__always) get { 1 &<< UInt64(rawValue) }
    }
}
