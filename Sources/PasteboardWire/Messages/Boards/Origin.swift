/// Where contents were written, or a board was cleared, and when (feature `links`).
package struct Origin: ProtobufMessage {
    /// The epochs of the brokers, and the numbers of the displays, through which the contents have come, first the one
    /// where they were written.
    package var path: [UInt64] = []
    /// The moment of the write or clear, in milliseconds since 1970.
    package var milliseconds: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "path", &path, most: WireLimits.originPath)
        visit(2, "milliseconds", &milliseconds)
    }
}
