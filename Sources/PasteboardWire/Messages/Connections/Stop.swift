/// Makes the broker end as it does on SIGTERM. The answer is `end`, before the broker drains.
package struct Stop: WireMessage {
    package static let kind = FrameKind.stop

    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
