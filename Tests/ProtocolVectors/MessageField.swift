extension ProtocolSchema {
    /// The fields of a message in a range of bytes, with a field for each number of a list, packed or not (M1).
    func fields(of bytes: [UInt8], in range: Range<Int>, message: String) -> [MessageField]? {
        var result: [MessageField] = []
        guard let fields = MessageField.fields(of: bytes, in: range) else { return nil }
        for field in fields {
            guard let type = messages[message]?[field.number], type.label == "repeated", type.isNumber,
                field.scalar == nil
            else {
                result.append(field)
                continue
            }
            var offset = field.contents.lowerBound
            while offset < field.contents.upperBound {
                let start = offset
                let number = MessageField.varint(in: bytes, at: &offset, end: field.contents.upperBound)
                guard let number else { return nil }
                let (value, none) = (start..<offset, offset..<offset)
                result.append(MessageField(number: field.number, value: value, contents: none, scalar: number))
            }
        }
        return result
    }
}

/// A field of a message in the protobuf wire encoding, without its meaning.
struct MessageField {
    let number: UInt32
    /// The range of the value: of the number, or of the length and the bytes.
    let value: Range<Int>
    /// The range of the bytes; empty for a number.
    let contents: Range<Int>
    /// The value of a number.
    let scalar: UInt64?

    /// The fields in a range of bytes, in their order; nil if they are malformed.
    static func fields(of bytes: [UInt8], in range: Range<Int>) -> [MessageField]? {
        var fields: [MessageField] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let key = varint(in: bytes, at: &offset, end: range.upperBound), key >> 3 > 0 else { return nil }
            let start = offset
            var contents = offset..<offset
            var scalar: UInt64?
            switch key & 7 {
            case 0:
                guard let number = varint(in: bytes, at: &offset, end: range.upperBound) else { return nil }
                scalar = number
            case 1, 5: offset += key & 7 == 1 ? 8 : 4
            case 2:
                guard let count = varint(in: bytes, at: &offset, end: range.upperBound),
                    count <= UInt64(range.upperBound - offset)
                else { return nil }
                contents = offset..<offset + Int(count)
                offset = contents.upperBound
            default: return nil
            }
            guard offset <= range.upperBound else { return nil }
            let number = UInt32(truncatingIfNeeded: key >> 3)
            fields.append(MessageField(number: number, value: start..<offset, contents: contents, scalar: scalar))
        }
        return fields
    }

    static func varint(in bytes: [UInt8], at offset: inout Int, end: Int) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard offset < end else { return nil }
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}
