/// Where contents of linked brokers were written, or their board was cleared, and when (feature `links`).
package struct Origin: ProtobufMessage {
    /// The epochs of the brokers through which the contents have come, first the one where they were written.
    package var path: [UInt64] = []
    /// The moment of the write or clear, in milliseconds since 1970.
    package var milliseconds: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "path", &path, most: WireLimits.originPath)
        visit(2, "milliseconds", &milliseconds)
    }
}
