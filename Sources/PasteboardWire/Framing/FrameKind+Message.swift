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
        case .wait: Wait.self
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
