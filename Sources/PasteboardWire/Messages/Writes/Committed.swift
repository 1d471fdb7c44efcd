/// Reports that a write or clear took place.
package struct Committed: WireMessage {
    package static let kind = FrameKind.committed

    package var changeCount: UInt64?
    package var epoch: UInt64?
    /// The publication's handle; none after a clear.
    package var handle: UInt64?
    /// The boards of ended programs that were cleared to make room for the write, of those that exist for the writer.
    package var clearedBoards: [String] = []
    /// Whether the written bytes would be lost in a crash of the broker, because its service manager takes nothing; nil
    /// if the broker saves none of them.
    package var isUnsaved: Bool?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "change_count", &changeCount)
        visit(2, "epoch", &epoch)
        visit(3, "handle", &handle)
        visit(4, "cleared_boards", &clearedBoards, most: WireLimits.clearedBoards)
        // The last field: see `markUnsaved`.
        visit(5, "is_unsaved", &isUnsaved)
    }

    /// Sets `is_unsaved` in an encoded message that has the field. A broker finds out that contents are not saved in
    /// time while their acknowledgement waits.
    package static func markUnsaved(_ payload: inout MutableSpan<UInt8>) {
        // No other field ends with these two bytes.
        guard payload.count >= 2, payload[payload.count - 2] == 5 << 3, payload[payload.count - 1] == 0 else { return }
        payload[payload.count - 1] = 1
    }
}
