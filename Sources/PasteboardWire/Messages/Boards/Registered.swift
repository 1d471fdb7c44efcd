/// Reports that the destination, the watch or the board exists.
package struct Registered: WireMessage {
    package static let kind = FrameKind.registered

    /// The name of a board that the broker created.
    package var name: String?
    /// The change count of a watched board at this time.
    package var changeCount: UInt64?
    /// The epoch of `changeCount`.
    package var epoch: UInt64?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "name", &name)
        visit(2, "change_count", &changeCount)
        visit(3, "epoch", &epoch)
    }
}
