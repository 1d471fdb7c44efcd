/// Splits a byte stream into frames: the caller passes bytes as they arrive, and gets complete frames or parts of them.
///
/// A control frame is returned whole. A data frame is returned in the parts in which it arrives, because a receiver
/// passes bytes on at once and a sender may end in the middle of a frame. The boundaries of data frames have no
/// meaning. The decoder stores no bytes. The caller keeps the bytes that were not consumed (at most one header and one
/// control payload) and passes them again with more bytes after them. Lengths are checked against the kind's limit
/// before the decoder waits for a payload.
package struct FrameDecoder: Sendable {
    /// The header of the data frame whose payload is incomplete, and the number of missing bytes.
    private var partial: (header: FrameHeader, missing: Int)?
    /// The payload limit until the peer has sent hello or welcome. It is lower because the peer is unknown.
    package var limitBeforeHello: Int?
    /// Whether the feature `descriptors` has been negotiated.
    package var takesDescriptors = false

    package init(limitBeforeHello: Int? = nil) {
        self.limitBeforeHello = limitBeforeHello
    }

    /// Whether a data frame has begun whose payload is not complete.
    package var isInsideFrame: Bool { partial != nil }

    /// Returns the next frame or part of a frame at `offset`, which moves to the end of the consumed bytes; nil if more
    /// bytes are needed.
    package mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(Failure) -> FrameChunk? {
        if partial != nil { return takeRest(in: bytes, at: &offset) }
        guard let header = FrameHeader(bytes, at: offset) else { return nil }
        // Most frames are plain and need no further checks.
        let limit = limitBeforeHello ?? FrameKind.maximumLength(of: header.rawKind)
        if header.length > UInt32(truncatingIfNeeded: limit) || !header.isPlain { try check(header, limit: limit) }
        let length = Int(header.length)
        let start = offset + FrameHeader.byteCount
        let available = bytes.count - start
        guard available >= length else {
            // A data frame waits for at least one byte of its payload.
            guard header.rawKind == FrameKind.data.rawValue, available > 0 else { return nil }
            partial = (header, length - available)
            offset = bytes.count
            return FrameChunk(header: header, payload: start..<offset, isFirst: true, isLast: false)
        }
        offset = start + length
        return FrameChunk(header: header, payload: start..<offset, isFirst: true, isLast: true)
    }

    /// Returns the next part of the frame that is incomplete.
    private mutating func takeRest(in bytes: Span<UInt8>, at offset: inout Int) -> FrameChunk? {
        guard let (header, missing) = partial, offset < bytes.count else { return nil }
        let start = offset
        let count = min(missing, bytes.count - start)
        offset += count
        partial = count == missing ? nil : (header, missing - count)
        return FrameChunk(header: header, payload: start..<offset, isFirst: false, isLast: count == missing)
    }

    @inline(never)
    private func check(_ header: FrameHeader, limit: Int) throws(Failure) {
        guard header.length <= UInt32(limit) else {
            throw Failure(
                .protocolViolation,
                "a frame of kind \(header.rawKind) announces \(header.length) bytes; at most \(limit) are allowed"
            )
        }
        guard header.descriptorCount == 0 || takesDescriptors && header.mayPassDescriptor else {
            throw Failure(
                .protocolViolation,
                "a frame of kind \(header.rawKind) announces \(header.descriptorCount) descriptors, which "
                    + (takesDescriptors ? "its kind does not allow" : "were not negotiated")
            )
        }
        guard header.version == FrameHeader.version || header.rawKind == FrameKind.hello.rawValue else {
            throw Failure(
                .versionMismatch,
                "a frame has version \(header.version); this side uses \(FrameHeader.version)"
            )
        }
    }
}

/// A whole control frame, or a part of a data frame.
package struct FrameChunk: Sendable, Equatable {
    package let header: FrameHeader
    /// The range of the payload in the bytes that were passed.
    package let payload: Range<Int>
    /// Whether this part includes the frame's header.
    package let isFirst: Bool
    /// Whether the frame is complete with this part.
    package let isLast: Bool

    /// Whether the byte sequence that the frame belongs to is complete with this part.
    package var endsSequence: Bool { isLast && header.flags.contains(.last) }
}
