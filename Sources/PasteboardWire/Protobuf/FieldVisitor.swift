/// An action for each field of a message: to decode, encode or describe it.
package protocol FieldVisitor {
    /// - Parameters:
    ///   - name: The name of the field in the schema.
    ///   - most: The largest number of entries of a list, or of bytes.
    mutating func callAsFunction<Value: WireValue>(
        _ number: UInt32,
        _ name: StaticString,
        _ value: inout Value,
        most: Int
    )
}

extension FieldVisitor {
    @inline(__always)
    mutating func callAsFunction<Value: WireValue>(_ number: UInt32, _ name: StaticString, _ value: inout Value) {
        self(number, name, &value, most: .max)
    }
}
