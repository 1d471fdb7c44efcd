/// The protobuf wire encoding, writing: fields are appended to a byte array in ascending order of their numbers.
///
/// nil and empty repeated fields are left out; a scalar that is present is written even when it is 0, because an
/// empty value is a value (explicit presence in the schema).
extension [UInt8] {
    package mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(truncatingIfNeeded: rest))
    }

    package mutating func appendField(_ number: UInt32, _ value: UInt64?) {
        guard let value else { return }
        self.appendVarint(UInt64(number) << 3)
        self.appendVarint(value)
    }

    package mutating func appendField(_ number: UInt32, _ value: UInt32?) {
        self.appendField(number, value.map { UInt64($0) })
    }

    package mutating func appendField(_ number: UInt32, _ value: Bool?) {
        self.appendField(number, value.map { $0 ? UInt64(1) : 0 })
    }

    package mutating func appendField(_ number: UInt32, _ value: String?) {
        guard var value else { return }
        self.appendVarint(UInt64(number) << 3 | 2)
        value.makeContiguousUTF8()
        self.appendVarint(UInt64(value.utf8.count))
        self.append(contentsOf: value.utf8)
    }

    package mutating func appendField(_ number: UInt32, repeated values: [String]) {
        for value in values {
            self.appendField(number, value)
        }
    }

    /// Packed, as proto3 does by default.
    package mutating func appendField(_ number: UInt32, repeated values: [UInt32]) {
        guard !values.isEmpty else { return }
        self.appendMessage(number) { bytes in
            for value in values {
                bytes.appendVarint(UInt64(value))
            }
        }
    }

    package mutating func appendField(_ number: UInt32, _ message: (some ProtobufMessage)?) {
        guard let message else { return }
        self.appendMessage(number) { bytes in message.encode(into: &bytes) }
    }

    package mutating func appendField(_ number: UInt32, repeated messages: [some ProtobufMessage]) {
        for message in messages {
            self.appendField(number, message)
        }
    }

    /// The length goes in front of bytes whose number is known only behind them: they are short, so they are moved.
    private mutating func appendMessage(_ number: UInt32, _ body: (inout [UInt8]) -> Void) {
        self.appendVarint(UInt64(number) << 3 | 2)
        let start = self.count
        body(&self)
        var length: [UInt8] = []
        length.appendVarint(UInt64(self.count - start))
        self.insert(contentsOf: length, at: start)
    }
}
