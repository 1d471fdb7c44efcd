package import PasteboardTransport
package import PasteboardWire

/// A message of the broker that concerns the program. The first value is the stream. Ranges, also in the fields of an
/// answer or ask, are of the bytes that were passed together with the frame.
package enum ClientEvent: Sendable {
    indirect case welcomed(Welcome)

    // Events of a load. It ends with `data` whose `last` is true, with `passed`, `ended` or `failed`.
    case answered(UInt64, AnswerFields)
    /// The whole load at once. Its bytes are the first `byteCount` bytes of this file; the answer contains the count.
    indirect case passed(UInt64, Answer, DescriptorBox)
    case data(UInt64, payload: Range<Int>, last: Bool)
    case progress(UInt64, Progress)

    case committed(UInt64, Committed)
    indirect case contents(UInt64, Contents)
    indirect case item(UInt64, Item)
    indirect case statusEntry(UInt64, StatusEntry)

    // Events of a drag session of this client. `committed` contains its handle and, after each commit, its version.
    indirect case proposed(UInt64, Proposal)
    /// The session has left its destination.
    indirect case exited(UInt64, Exit)
    case dropped(UInt64, Dropped)
    indirect case transferred(UInt64, Transferred)

    /// A destination, a watch or a board exists.
    case registered(UInt64, Registered)
    /// For a watch: the newest state of the board.
    indirect case changed(UInt64, Change)

    // Events of a session at a destination of this client. The number is that of the broker's stream. It ends with
    // `ended` or `failed`. `session` and the `item` events after it are also sent when items were added to a known
    // session.
    indirect case session(UInt64, Session)
    indirect case entered(UInt64, Enter)
    indirect case updated(UInt64, Update)
    indirect case left(UInt64, Exit)
    indirect case perform(UInt64, Perform)

    /// The stream has ended without a failure. For a publication: it was replaced or cleared.
    case ended(UInt64, End)
    /// The stream has failed.
    indirect case failed(UInt64, Failure)

    // Events of asks, which request the bytes of this client's promises.
    case asked(UInt64, AskFields)
    /// The ask has got more credit.
    case askCredit(UInt64)
    /// The ask has ended because its bytes are no longer needed.
    case askCancelled(UInt64)

    package var stream: UInt64 {
        switch self {
        case .welcomed: 0
        case .passed(let stream, _, _), .answered(let stream, _), .data(let stream, _, _), .progress(let stream, _),
            .committed(let stream, _),
            .contents(let stream, _), .item(let stream, _), .statusEntry(let stream, _), .ended(let stream, _),
            .failed(let stream, _), .proposed(let stream, _), .exited(let stream, _), .dropped(let stream, _),
            .transferred(let stream, _), .registered(let stream, _), .changed(let stream, _), .session(let stream, _),
            .entered(let stream, _),
            .updated(let stream, _), .left(let stream, _), .perform(let stream, _), .asked(let stream, _),
            .askCredit(let stream), .askCancelled(let stream):
            stream
        }
    }
}
