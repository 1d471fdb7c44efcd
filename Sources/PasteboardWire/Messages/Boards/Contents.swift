/// The contents of a board, without bytes.
package struct Contents: WireMessage {
    package static let kind = FrameKind.contents

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication; none if the board is empty.
    package var handle: UInt64?
    package var itemCount: UInt32?
    /// The name of the writing program, as reported by itself.
    package var ownerLabel: String?
    /// The process id of the writer, as reported by the kernel.
    package var ownerProcess: UInt32?

    package var terms: ContentTerms?
    /// The age of the contents.
    package var milliseconds: UInt64?
    /// The number of times that items or representations were added, or promises were lost with their source.
    package var version: UInt64?
    /// The time since the board was cleared to make room for other contents, if it is empty for this reason.
    package var clearedMilliseconds: UInt64?
    /// For links: where the contents come from, with this broker at the end, so that it is passed on as it is.
    package var origin: Origin?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "change_count", &changeCount)
        visit(2, "epoch", &epoch)
        visit(3, "handle", &handle)
        visit(4, "item_count", &itemCount)
        visit(5, "owner_label", &ownerLabel)
        visit(6, "owner_process", &ownerProcess)
        visit(7, "terms", &terms)
        visit(8, "milliseconds", &milliseconds)
        visit(9, "version", &version)
        visit(10, "cleared_milliseconds", &clearedMilliseconds)
        visit(11, "origin", &origin)
    }
}
