/// A message of the schema, or a part of one. It states its fields once; decoding, encoding and the names of the frame
/// log follow from them.
package protocol ProtobufMessage: WireValue, WireListElement {
    init()
    /// Visits each field, in the order of the numbers.
    mutating func fields(_ visit: inout some FieldVisitor)
    // `fields` for the two visitors that are used all the time, so that the compiler specializes it for each message.
    mutating func fields(of input: inout FieldDecoder)
    mutating func fields(to output: inout FieldEncoder)
}

extension ProtobufMessage {
    package mutating func fields(of input: inout FieldDecoder) { fields(&input) }
    package mutating func fields(to output: inout FieldEncoder) { fields(&output) }

    // Specialized for the messages of each load, so that decoding them needs no dynamic dispatch.
    @specialized(where Self == Load)
    @specialized(where Self == Answer)
    @specialized(where Self == Credit)
    package init(decoding bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        self.init()
        let failure = FieldDecoder.withFields(of: bytes, range) { input in
            input.read(&self)
            return input.failure
        }
        if let failure { throw failure }
    }

    package init(decoding bytes: Span<UInt8>) throws(Failure) {
        try self.init(decoding: bytes, range: 0..<bytes.count)
    }

    package init(decoding bytes: [UInt8]) throws(Failure) {
        try self.init(decoding: bytes.span)
    }

    package var encoded: [UInt8] {
        var output = FieldEncoder()
        output.put(self)
        return Array(output.bytes[..<output.count])
    }
}

// A message as a field of another one.
extension ProtobufMessage {
    package static var initial: Self { Self() }

    @inline(never)
    package mutating func decode(from input: inout FieldDecoder, most: Int) { input.readNested(&self) }

    @inline(never)
    package func encode(as number: UInt32, into output: inout FieldEncoder) {
        output.putPrefixed(number) { output in output.put(self) }
    }
}
