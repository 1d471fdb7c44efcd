/// The kind of a frame. `Protocol.md` and `frame-kinds.tsv` list the same numbers, and tests compare them.
@usableFromInline package enum FrameKind: UInt8, Sendable, CaseIterable {
    // Frames of the connection itself, on stream 0.
    case hello = 1
    case welcome = 2
    case inline = 3

    // Frames of a client that open a stream, or continue one that is being written.
    case write = 16
    case item = 17
    case commit = 18
    case load = 19
    case list = 20
    case clear = 21
    case status = 22
    case stop = 23

    // Frames of a client for drag sessions. The first two open a stream; a destination sends the last two.
    case drag = 24
    case destination = 25
    case begin = 26
    case move = 27
    case drop = 28
    case performed = 29
    case conclude = 30

    // Frames of the broker.
    case ask = 32
    case answer = 33
    case committed = 34
    case contents = 35
    case statusEntry = 36
    case registered = 37
    case session = 38
    case update = 39
    case perform = 40
    case dropped = 41
    case transferred = 42
    case change = 43

    // Frames on any stream, in both directions.
    case data = 48
    case end = 49
    case error = 50
    case cancel = 51
    case credit = 52
    case progress = 53
    case enter = 54
    case exit = 55
    case proposal = 56

    // Further frames of a client that open a stream.
    case watch = 57
    case createBoard = 58

    /// The largest payload length of a frame of this kind, which need not be known here.
    package static func maximumLength(of rawKind: UInt8) -> Int {
        rawKind == FrameKind.data.rawValue ? WireLimits.dataLength : WireLimits.controlLength
    }
}

extension FrameKind {
    /// The message that is the payload of a frame of this kind; nil for `data`.
    package var message: (any WireMessage.Type)? {
        switch self {
        case .hello: Hello.self
        case .welcome: Welcome.self
        case .inline: Inline.self
        case .write: Write.self
        case .item: Item.self
        case .commit: Commit.self
        case .load: Load.self
        case .list: List.self
        case .clear: Clear.self
        case .status: Status.self
        case .stop: Stop.self
        case .drag: Drag.self
        case .destination: Destination.self
        case .begin: Begin.self
        case .move: Move.self
        case .drop: Drop.self
        case .performed: Performed.self
        case .conclude: Conclude.self
        case .ask: Ask.self
        case .answer: Answer.self
        case .committed: Committed.self
        case .contents: Contents.self
        case .statusEntry: StatusEntry.self
        case .registered: Registered.self
        case .session: Session.self
        case .update: Update.self
        case .perform: Perform.self
        case .dropped: Dropped.self
        case .transferred: Transferred.self
        case .data: nil
        case .end: End.self
        case .error: Failure.self
        case .cancel: Cancel.self
        case .credit: Credit.self
        case .progress: Progress.self
        case .enter: Enter.self
        case .exit: Exit.self
        case .proposal: Proposal.self
        case .change: Change.self
        case .watch: Watch.self
        case .createBoard: CreateBoard.self
        }
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
                | destination.bit | begin.bit | move.bit | drop.bit | data.bit | error.bit | cancel.bit | credit.bit
                | watch.bit | createBoard.bit
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

/// The queue of a connection in which a frame waits.
///
/// At frame boundaries, connection-ordered frames are sent before stream-ordered ones, so that a cancel, a credit or a
/// list never waits for megabytes of another stream. Within each queue the order is kept.
@usableFromInline package enum FrameOrder: Sendable {
    case connection
    case stream
}
