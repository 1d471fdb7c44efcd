/// Opens a wait for a destination of a name. The answer is `end`, as soon as there is one.
package struct Wait: WireMessage {
    package static let kind = FrameKind.wait

    package var destination = ""
    /// The longest time to wait; no limit if absent.
    package var milliseconds: UInt64?
    /// The client's drag session that waits. Then the wait ends when the session can be directed to the destination, or
    /// when the session ends.
    package var handle: UInt64?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "destination", &destination)
        visit(2, "milliseconds", &milliseconds)
        visit(3, "handle", &handle)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
