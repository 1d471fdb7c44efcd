/// Opens a request for the state of the broker. The answers are entries and `end`. They never show contents.
package struct Status: WireMessage {
    package static let kind = FrameKind.status

    /// Whether the connections that have ended, and the processes, are shown too.
    package var history: Bool?
    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "history", &history)
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
