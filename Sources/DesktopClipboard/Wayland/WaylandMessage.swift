package import PasteboardWire

/// A message of the Wayland protocol: an event of an object, or a request to one.
package struct WaylandMessage: Sendable {
    package let object: UInt32
    package let opcode: UInt16
    package var fields: FieldReader

    /// Encodes a request.
    static func request(_ object: UInt32, _ opcode: UInt16, _ body: (inout FieldWriter) -> Void = { _ in }) -> [UInt8] {
        var fields = FieldWriter()
        body(&fields)
        var message = FieldWriter()
        message.append(object)
        message.append(UInt32(opcode) | UInt32(truncatingIfNeeded: fields.bytes.count + 8) << 16)
        return message.bytes + fields.bytes
    }
}

/// Divides the bytes of a compositor into messages, none of which is longer than 64 KiB.
package struct WaylandDecoder: Sendable {
    private var bytes: ArraySlice<UInt8> = []

    package init() {}

    package mutating func append(_ bytes: [UInt8]) { self.bytes += bytes }

    /// The next message; nil if it is not complete yet.
    package mutating func next() throws(Failure) -> WaylandMessage? {
        guard bytes.count >= 8 else { return nil }
        var header = FieldReader(bytes.prefix(8))
        let object = try header.uint32()
        let word = try header.uint32()
        let size = Int(word >> 16)
        guard size >= 8, size.isMultiple(of: 4) else {
            throw Failure(.protocolViolation, "the compositor has sent a message of \(size) bytes")
        }
        guard bytes.count >= size else { return nil }
        defer { bytes = bytes.dropFirst(size) }
        return WaylandMessage(
            object: object,
            opcode: UInt16(truncatingIfNeeded: word),
            fields: FieldReader(bytes.dropFirst(8).prefix(size - 8))
        )
    }
}
