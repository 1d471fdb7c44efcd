/// The 16 bytes before every payload, frozen for all versions of the protocol.
///
///     offset 0  payload length   u32   little endian
///            4  kind             u8
///            5  flags            u8
///            6  descriptor count u8
///            7  version          u8
///            8  stream id        u64   little endian
@usableFromInline package struct FrameHeader: Sendable, Equatable {
    @inlinable package static var byteCount: Int { 16 }
    @inlinable package static var version: UInt8 { 1 }

    /// The first eight bytes, in the byte order of the processor. The fields are parts of this number.
    @usableFromInline var start: UInt64
    @usableFromInline package var stream: UInt64

    @inlinable
    package init(
        _ kind: FrameKind,
        stream: UInt64,
        length: Int,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) {
        start =
            UInt64(UInt32(truncatingIfNeeded: length)) | UInt64(kind.rawValue) << 32 | UInt64(flags.rawValue) << 40
            | UInt64(descriptorCount) << 48 | UInt64(Self.version) << 56
        self.stream = stream
    }

    @inlinable package var length: UInt32 {
        get { UInt32(truncatingIfNeeded: start) }
        set { start = start & ~0xFFFF_FFFF | UInt64(newValue) }
    }
    /// The number of the kind as received: a receiver must be able to skip an unknown kind.
    @inlinable package var rawKind: UInt8 {
        get { self[4] }
        set { self[4] = newValue }
    }
    @inlinable package var flags: FrameFlags {
        get { FrameFlags(rawValue: self[5]) }
        set { self[5] = newValue.rawValue }
    }
    @inlinable package var descriptorCount: UInt8 {
        get { self[6] }
        set { self[6] = newValue }
    }
    @inlinable package var version: UInt8 {
        get { self[7] }
        set { self[7] = newValue }
    }

    /// Whether no descriptor is passed and the version is this one, as for nearly all frames.
    @inlinable var isPlain: Bool { start >> 48 == UInt64(Self.version) << 8 }

    @inlinable subscript(index: UInt64) -> UInt8 {
        @inline(__always) get { UInt8(truncatingIfNeeded: start &>> (8 &* index)) }
        @inline(__always) set { start = start & ~(0xFF &<< (8 &* index)) | UInt64(newValue) &<< (8 &* index) }
    }

    @inlinable package var kind: FrameKind? { FrameKind(rawValue: rawKind) }

    /// Whether the frame may pass its descriptors: exactly one, which replaces a whole byte sequence or is a probe.
    var mayPassDescriptor: Bool {
        guard descriptorCount == 1 else { return false }
        return switch kind {
        case .welcome: true
        case .answer: flags.contains(.last) && length <= UInt32(WireLimits.descriptorFrameLength)
        case .data: flags.contains(.last) && length == 0
        default: false
        }
    }

    /// Reads the header at `offset`; nil when fewer than 16 bytes are there.
    @inlinable
    @inline(__always)
    package init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard offset >= 0, offset <= bytes.count, bytes.count - offset >= Self.byteCount else { return nil }
        // Every bit pattern is a number, and the loads are checked against the span.
        let words = unsafe bytes.bytes
        let first = unsafe UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let second = unsafe UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        self.init(words: first, second)
    }

    /// Creates the header from its two little-endian words.
    @inlinable
    package init(words first: UInt64, _ second: UInt64) {
        start = first
        stream = second
    }

    @inlinable package var words: (UInt64, UInt64) { (start, stream) }
}

/// The flags byte of a frame.
@usableFromInline package struct FrameFlags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The same as `[]`. The literal would loop over an array in generic code for each frame.
    @inlinable package static var none: FrameFlags { FrameFlags(rawValue: 0) }
    /// On `data`: the byte sequence ends with this frame. On a load's stream this ends the stream, too, so that a small
    /// answer takes one frame. On a write's stream the bytes of the next representation follow.
    @inlinable package static var last: FrameFlags { FrameFlags(rawValue: 1) }
    /// A receiver that does not know this frame's kind must refuse it. Without this flag the receiver skips the frame.
    @inlinable package static var mustUnderstand: FrameFlags { FrameFlags(rawValue: 2) }
}
