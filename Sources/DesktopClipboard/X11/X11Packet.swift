package import PasteboardWire

/// A reply, an error or an event of an X server.
package enum X11Packet: Sendable {
    case reply(sequence: UInt16, detail: UInt8, fields: FieldReader)
    case error(sequence: UInt16, code: UInt8, resource: UInt32)
    case event(code: UInt8, detail: UInt8, fields: FieldReader)
}

/// Divides the bytes of an X server into packets.
package struct X11Decoder: Sendable {
    /// The longest reply. The longest one that is requested is a part of a property.
    private static let longest = 1 << 20

    private var bytes: ArraySlice<UInt8> = []

    package init() {}

    package mutating func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// The answer to the request for a connection; nil if it is not complete yet.
    package mutating func setup() throws(Failure) -> X11Setup? {
        guard bytes.count >= 8 else { return nil }
        var header = FieldReader(bytes.prefix(8))
        try header.skip(6)
        let count = 8 + Int(try header.uint16()) * 4
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return try X11Setup(bytes.prefix(count))
    }

    /// The next packet; nil if it is not complete yet.
    package mutating func next() throws(Failure) -> X11Packet? {
        guard bytes.count >= 32 else { return nil }
        var fields = FieldReader(bytes.prefix(32))
        let (kind, detail) = (try fields.uint8(), try fields.uint8())
        let sequence = try fields.uint16()
        let word = try fields.uint32()
        // Replies, and events of a kind that is not requested, say how much follows.
        let more = kind == 1 || kind & 0x7F == 35 ? UInt64(word) * 4 : 0
        guard more <= Self.longest else {
            throw Failure(.protocolViolation, "the X server has sent a reply of \(more) bytes")
        }
        let count = 32 + Int(more)
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        switch kind {
        case 0: return .error(sequence: sequence, code: detail, resource: word)
        case 1: return .reply(sequence: sequence, detail: detail, fields: FieldReader(bytes.prefix(count).dropFirst(8)))
        default:
            return .event(code: kind & 0x7F, detail: detail, fields: FieldReader(bytes.prefix(count).dropFirst(4)))
        }
    }
}

/// The answer of an X server to a client that connects.
package struct X11Setup: Sendable {
    package let root: UInt32
    package let resourceBase: UInt32
    package let resourceMask: UInt32
    /// The longest request, in bytes.
    package let longestRequest: Int

    fileprivate init(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var fields = FieldReader(bytes)
        let status = try fields.uint8()
        let length = Int(try fields.uint8())
        try fields.skip(6)
        guard status == 1 else {
            let reason = try fields.take(min(status == 0 ? length : fields.count, fields.count))
            let text = String(decoding: reason.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            throw Failure(.notPermitted, "the X server refuses the connection: \(text); see DISPLAY and XAUTHORITY")
        }
        try fields.skip(4)
        resourceBase = try fields.uint32()
        resourceMask = try fields.uint32()
        try fields.skip(4)
        let vendor = Int(try fields.uint16())
        longestRequest = Int(try fields.uint16()) * 4
        let screens = try fields.uint8()
        let formats = Int(try fields.uint8())
        try fields.skip(10 + vendor.paddedToWords + formats * 8)
        guard screens > 0 else { throw Failure(.protocolViolation, "the X server has no screen") }
        // The numbers of windows begin anew, and the windows of all transfers are far fewer.
        guard resourceMask.nonzeroBitCount >= 16 else {
            throw Failure(.protocolViolation, "the X server gives its clients too few resources")
        }
        root = try fields.uint32()
    }

    /// The identifier of a resource, by its number, which begins anew after the last one.
    func resource(_ number: UInt32) -> UInt32 {
        // The mask is contiguous, but not always at the lowest bits.
        let lowest = resourceMask & (~resourceMask &+ 1)
        return resourceBase | number &* lowest & resourceMask
    }
}
