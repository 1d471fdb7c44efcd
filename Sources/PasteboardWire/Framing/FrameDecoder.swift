/// Cuts a byte stream into frames: bytes are pushed in as they come, pieces come out.
///
/// A control frame comes out whole. A data frame comes out in as many pieces as it arrived in, because a receiver
/// passes bytes on as they come and a sender may die in the middle; boundaries of data frames carry no meaning.
/// The decoder holds no bytes: its caller keeps what was not consumed (at most one header and one control payload)
/// and presents it again with more behind it. Lengths are checked against the kind's limit before anything waits.
package struct FrameDecoder: Sendable {
    /// The header of the data frame whose payload is still coming, and how much of it is missing.
    private var partial: (header: FrameHeader, missing: Int)?
    /// Payload limit while the peer has not said hello: strangers get no more than this.
    package var limitBeforeHello: Int?
    /// Whether the feature that brings descriptors has been negotiated.
    package var takesDescriptors = false

    package init(limitBeforeHello: Int? = nil) {
        self.limitBeforeHello = limitBeforeHello
    }

    /// Whether a data frame has begun whose payload is not complete.
    package var isInsideFrame: Bool { self.partial != nil }

    /// The next piece at `offset`, which moves behind what was consumed; nil when more bytes are needed.
    package mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(Failure) -> FramePiece? {
        if let (header, missing) = self.partial {
            let available = bytes.count - offset
            guard available > 0 else { return nil }
            return self.takePayload(of: header, missing: missing, available: available, at: &offset, isFirst: false)
        }
        guard let header = FrameHeader(bytes, at: offset) else { return nil }
        // What may pass without another look: nearly everything.
        let isPlain =
            header.length <= UInt32(self.limitBeforeHello ?? FrameKind.maximumLength(of: header.rawKind))
            && header.descriptorCount == 0 && header.version == FrameHeader.version
        if !isPlain { try self.check(header) }
        let length = Int(header.length)
        let available = bytes.count - offset - FrameHeader.byteCount
        if header.rawKind == FrameKind.data.rawValue {
            // An empty data frame is complete with its header; any other waits for at least one byte of payload.
            guard length == 0 || available > 0 else { return nil }
            offset += FrameHeader.byteCount
            return self.takePayload(of: header, missing: length, available: available, at: &offset, isFirst: true)
        }
        guard available >= length else { return nil }
        let start = offset + FrameHeader.byteCount
        offset = start + length
        return FramePiece(header: header, payload: start..<offset, isFirst: true, isLast: true)
    }

    private mutating func takePayload(
        of header: FrameHeader,
        missing: Int,
        available: Int,
        at offset: inout Int,
        isFirst: Bool
    ) -> FramePiece {
        let count = min(missing, available)
        let start = offset
        offset += count
        self.partial = count == missing ? nil : (header, missing - count)
        return FramePiece(header: header, payload: start..<offset, isFirst: isFirst, isLast: count == missing)
    }

    @inline(never)
    private func check(_ header: FrameHeader) throws(Failure) {
        let limit = self.limitBeforeHello ?? FrameKind.maximumLength(of: header.rawKind)
        guard header.length <= UInt32(limit) else {
            throw Failure(
                .protocolViolation,
                "a frame of kind \(header.rawKind) announces \(header.length) bytes; at most \(limit) are allowed"
            )
        }
        guard header.descriptorCount == 0 || self.takesDescriptors && header.mayPassDescriptor else {
            throw Failure(
                .protocolViolation,
                "a frame of kind \(header.rawKind) announces \(header.descriptorCount) descriptors, which "
                    + (self.takesDescriptors ? "it may not" : "were not negotiated")
            )
        }
        guard header.version == FrameHeader.version || header.rawKind == FrameKind.hello.rawValue else {
            throw Failure(
                .versionMismatch,
                "a frame has version \(header.version); this side speaks \(FrameHeader.version)"
            )
        }
    }
}

/// A whole control frame, or a part of a data frame.
package struct FramePiece: Sendable, Equatable {
    package let header: FrameHeader
    /// Where the payload lies in the bytes that were pushed.
    package let payload: Range<Int>
    /// Whether the frame's header came with this piece.
    package let isFirst: Bool
    /// Whether the frame is complete with this piece.
    package let isLast: Bool

    /// Whether the byte sequence that the frame belongs to is complete with this piece.
    package var endsSequence: Bool { self.isLast && self.header.flags.contains(.last) }
}
