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
            .failed(let stream, _), .asked(let stream, _), .askCredit(let stream), .askCancelled(let stream):
            stream
        }
    }
}
