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
    /// The payload limit until the peer has sent hello. It is lower because the peer is unknown.
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
        if let (header, missing) = partial {
            let available = bytes.count - offset
            guard available > 0 else { return nil }
            return takePayload(of: header, missing: missing, available: available, at: &offset, isFirst: false)
        }
        guard let header = FrameHeader(bytes, at: offset) else { return nil }
        // The conditions under which a frame needs no further checks. Most frames meet them.
        let isPlain =
            header.length <= UInt32(limitBeforeHello ?? FrameKind.maximumLength(of: header.rawKind))
            && header.descriptorCount == 0 && header.version == FrameHeader.version
        if !isPlain { try check(header) }
        let length = Int(header.length)
        let available = bytes.count - offset - FrameHeader.byteCount
        if header.rawKind == FrameKind.data.rawValue {
            // An empty data frame is complete with its header; any other waits for at least one byte of payload.
            guard length == 0 || available > 0 else { return nil }
            offset += FrameHeader.byteCount
            return takePayload(of: header, missing: length, available: available, at: &offset, isFirst: true)
        }
        guard available >= length else { return nil }
        let start = offset + FrameHeader.byteCount
        offset = start + length
        return FrameChunk(header: header, payload: start..<offset, isFirst: true, isLast: true)
    }

    private mutating func takePayload(
        of header: FrameHeader,
        missing: Int,
        available: Int,
        at offset: inout Int,
        isFirst: Bool
    ) -> FrameChunk {
        let count = min(missing, available)
        let start = offset
        offset += count
        partial = count == missing ? nil : (header, missing - count)
        return FrameChunk(header: header, payload: start..<offset, isFirst: isFirst, isLast: count == missing)
    }

    @inline(never)
    private func check(_ header: FrameHeader) throws(Failure) {
        let limit = limitBeforeHello ?? FrameKind.maximumLength(of: header.rawKind)
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
