/// A handle as the first field of an ask or an answer, encoded once for all of them.
///
/// The handle of a publication is a long number, which two frames of each load contain. To copy it costs a fifth of
/// encoding it.
@usableFromInline package struct EncodedHandle: BitwiseCopyable, Sendable {
    package let value: UInt64
    /// The field; its first byte is the lowest one. Unused bytes are 0.
    let words: (first: UInt64, second: UInt64)
    let byteCount: Int

    package init(_ value: UInt64) {
        self.value = value
        var bytes = [UInt8](repeating: 0, count: 16 + FieldWriter.numberRoom)
        var span = bytes.mutableSpan
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe span.mutableBytes
        var writer = FieldWriter(at: 0)
        writer.put(1, value, in: &memory)
        byteCount = writer.end
        words = unsafe (
            UInt64(littleEndian: memory.bytes.unsafeLoad(as: UInt64.self)),
            UInt64(littleEndian: memory.bytes.unsafeLoad(fromByteOffset: 8, as: UInt64.self))
        )
    }
}
