package import PasteboardTransport
package import PasteboardWire

/// What the broker has said, as far as it concerns the program. The first value is the stream.
package enum ClientEvent: Sendable {
    indirect case welcomed(Welcome)

    // Of a load. It ends with `data` whose `last` is true, with `passed`, `ended` or `failed`.
    case answered(UInt64, Answer)
    /// The whole load at once: the bytes are the first `byteCount` of the answer in this file.
    indirect case passed(UInt64, Answer, DescriptorBox)
    /// `payload` lies in the bytes that were given with the frame.
    case data(UInt64, payload: Range<Int>, last: Bool)
    case progress(UInt64, Progress)

    case committed(UInt64, Committed)
    indirect case contents(UInt64, Contents)
    indirect case item(UInt64, Item)
    indirect case statusEntry(UInt64, StatusEntry)

    // Of a drag session of this client's. `committed` tells its handle, and after each commit its version.
    indirect case proposed(UInt64, Proposal)
    /// It has lost its destination. Of a destination: it may not enter the session that it wanted.
    indirect case exited(UInt64, Exit)
    case dropped(UInt64, Dropped)
    indirect case transferred(UInt64, Transferred)

    case registered(UInt64)

    // Of a session at a destination of this client's; the number is that of the broker's stream. It ends with `ended` or
    // `failed`. `session` and the `item`s that follow it also come for one that is known already: items were added.
    indirect case session(UInt64, Session)
    indirect case entered(UInt64, Enter)
    indirect case updated(UInt64, Update)
    indirect case left(UInt64, Exit)
    indirect case perform(UInt64, Perform)

    /// The stream is over, well. Of a publication: it has been replaced or cleared.
    case ended(UInt64, End)
    /// The stream is over.
    indirect case failed(UInt64, Failure)

    // Of asks: what this client promised is wanted now.
    indirect case asked(UInt64, Ask)
    /// More bytes may be sent.
    case askCredit(UInt64)
    /// The ask is over: nobody wants the bytes any more.
    case askCancelled(UInt64)

    package var stream: UInt64 {
        switch self {
        case .welcomed: 0
        case .passed(let stream, _, _), .answered(let stream, _), .data(let stream, _, _), .progress(let stream, _),
            .committed(let stream, _),
            .contents(let stream, _), .item(let stream, _), .statusEntry(let stream, _), .ended(let stream, _),
            .failed(let stream, _), .proposed(let stream, _), .exited(let stream, _), .dropped(let stream, _),
            .transferred(let stream, _), .registered(let stream), .session(let stream, _), .entered(let stream, _),
            .updated(let stream, _), .left(let stream, _), .perform(let stream, _), .asked(let stream, _),
            .askCredit(let stream), .askCancelled(let stream):
            stream
        }
    }
}
