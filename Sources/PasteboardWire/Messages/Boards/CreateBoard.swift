/// Creates a board with a name that no other board has. The answer is `registered` with the name. The board exists as
/// long as the stream.
package struct CreateBoard: WireMessage {
    package static let kind = FrameKind.createBoard

    package var requires: [UInt32] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(15, "requires", &requires, most: WireLimits.features)
    }
}
