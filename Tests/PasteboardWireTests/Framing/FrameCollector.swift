import PasteboardWire

/// The frames that a receiver decodes from a stream of bytes, however the stream is split into chunks.
struct FrameCollector {
    struct Frame: Equatable {
        var header: FrameHeader
        var payload: [UInt8]
        var endsSequence: Bool
    }

    var decoder: FrameDecoder
    private(set) var frames: [Frame] = []
    /// The bytes that the decoder has not consumed yet.
    private(set) var pending: [UInt8] = []
    /// The data frame whose payload is incomplete.
    private var open: Frame?
    /// The errors in the chunks of the decoder.
    private(set) var faults: [String] = []

    init(limitBeforeHello: Int? = nil) {
        decoder = FrameDecoder(limitBeforeHello: limitBeforeHello)
    }

    mutating func push(_ bytes: some Sequence<UInt8>) throws(Failure) {
        let presented = pending + bytes
        var offset = 0
        while let chunk = try decoder.next(in: presented.span, at: &offset) {
            handle(chunk, presented[chunk.payload])
        }
        pending = Array(presented[offset...])
    }

    private mutating func handle(_ chunk: FrameChunk, _ payload: ArraySlice<UInt8>) {
        if chunk.isFirst != (open == nil) { faults.append("isFirst is wrong") }
        if chunk.isLast == decoder.isInsideFrame { faults.append("isLast and isInsideFrame disagree") }
        var frame = open ?? Frame(header: chunk.header, payload: [], endsSequence: false)
        frame.payload += payload
        frame.endsSequence = chunk.endsSequence
        open = chunk.isLast ? nil : frame
        if chunk.isLast { frames.append(frame) }
    }
}
