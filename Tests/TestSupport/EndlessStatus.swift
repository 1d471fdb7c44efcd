import PasteboardWire

extension ScriptedPeer {
    /// Sends entries of a status until the other end closes the connection.
    ///
    /// Each has an unknown field of the greatest length. A client counts it for the limit of a status and does not
    /// decode it, so the limit is reached with few entries.
    package func sendEndlessStatus(on stream: UInt64) throws {
        // The tag of field 200 and the length of its value, in two and three bytes.
        let length = WireLimits.controlLength - 5
        let field = [
            0xC2, 0x0C, UInt8(truncatingIfNeeded: length) | 0x80, UInt8(length >> 7 & 0x7F) | 0x80, UInt8(length >> 14),
        ]
        var encoder = FrameMemory()
        encoder.append(header: FrameHeader(.statusEntry, stream: stream, length: field.count + length))
        let frame = encoder.bytes + field + [UInt8](repeating: 0, count: length)
        while true { try write(frame) }
    }
}
