/// The contents of a pasteboard as a broker saves them for its successor: everything except the kept bytes, which are
/// saved beside it.
///
/// Peers never see it. A successor may be of another version, so the numbers of fields are not reused, and `format` is
/// raised when an older broker would restore something else than was saved.
package struct SavedContents: ProtobufMessage {
    /// The newest format that this program reads and writes.
    package static let format: UInt32 = 1

    package var format: UInt32?
    package var board: String = ""
    package var changeCount: UInt64?
    package var epoch: UInt64?
    package var version: UInt64?
    package var ownerLabel: String = ""
    /// The writer's process, by its id and a number that no other process of this boot has.
    package var ownerProcess: UInt32?
    package var ownerIdentity: UInt64?
    package var ownerGroups: [String] = []
    /// Without the time until they expire, which is in `expiresAt`.
    package var terms: ContentTerms?
    /// In milliseconds since the machine started, including suspensions.
    package var expiresAt: UInt64?
    /// In milliseconds since the machine started, including suspensions.
    package var committedAt: UInt64?
    package var items: [Item] = []
    /// The names under which the bytes of the kept representations are saved, in the order of the representations.
    package var keptNames: [String] = []

    /// The version of the broker that has saved them.
    package var programVersion: String?
    /// The start of the machine in which they were saved. The ids of processes and the times since the start mean
    /// nothing in another one. Only set on disk.
    package var bootID: String?
    /// The time of that start, in milliseconds since 1970. Only set on disk.
    package var bootedAt: UInt64?
    /// The total change count at the last change of the board.
    package var totalChangeCount: UInt64?
    /// The moment of their write, in milliseconds since 1970.
    package var moment: UInt64?
    /// The path of their origin, without the broker that has saved them.
    package var path: [UInt64] = []

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "format", &format)
        visit(2, "board", &board)
        visit(3, "change_count", &changeCount)
        visit(4, "epoch", &epoch)
        visit(5, "version", &version)
        visit(6, "owner_label", &ownerLabel)
        visit(7, "owner_process", &ownerProcess)
        visit(8, "owner_identity", &ownerIdentity)
        // 9 was `is_owner_link`.
        visit(10, "owner_groups", &ownerGroups, most: WireLimits.groups)
        visit(11, "terms", &terms)
        visit(12, "expires_at", &expiresAt)
        visit(13, "committed_at", &committedAt)
        visit(14, "items", &items, most: WireLimits.items)
        visit(15, "kept_names", &keptNames, most: WireLimits.items * WireLimits.representations)
        visit(16, "program_version", &programVersion)
        visit(17, "boot_id", &bootID)
        visit(18, "booted_at", &bootedAt)
        visit(19, "total_change_count", &totalChangeCount)
        visit(20, "moment", &moment)
        visit(21, "path", &path, most: WireLimits.originPath)
    }
}
