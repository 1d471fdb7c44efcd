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
    package var isOwnerLink: Bool?
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
    /// The start of the machine in which they were saved. The ids of processes and the times since the start mean nothing
    /// in another one. Only set on disk.
    package var bootID: String?
    /// The time of that start, in milliseconds since 1970. Only set on disk.
    package var bootedAt: UInt64?

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, format)
        bytes.appendField(2, board)
        bytes.appendField(3, changeCount)
        bytes.appendField(4, epoch)
        bytes.appendField(5, version)
        bytes.appendField(6, ownerLabel)
        bytes.appendField(7, ownerProcess)
        bytes.appendField(8, ownerIdentity)
        bytes.appendField(9, isOwnerLink)
        bytes.appendField(10, repeated: ownerGroups)
        bytes.appendField(11, terms)
        bytes.appendField(12, expiresAt)
        bytes.appendField(13, committedAt)
        bytes.appendField(14, repeated: items)
        bytes.appendField(15, repeated: keptNames)
        bytes.appendField(16, programVersion)
        bytes.appendField(17, bootID)
        bytes.appendField(18, bootedAt)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: format = try field.number32()
        case 2: board = try field.string(in: bytes)
        case 3: changeCount = try field.number64()
        case 4: epoch = try field.number64()
        case 5: version = try field.number64()
        case 6: ownerLabel = try field.string(in: bytes)
        case 7: ownerProcess = try field.number32()
        case 8: ownerIdentity = try field.number64()
        case 9: isOwnerLink = try field.bool()
        case 10: try field.append(to: &ownerGroups, limit: WireLimits.groups, in: bytes)
        case 11: try field.merge(into: &terms, in: bytes)
        case 12: expiresAt = try field.number64()
        case 13: committedAt = try field.number64()
        case 14: try field.append(to: &items, limit: WireLimits.items, in: bytes)
        case 15:
            try field.append(to: &keptNames, limit: WireLimits.items * WireLimits.representations, in: bytes)
        case 16: programVersion = try field.string(in: bytes)
        case 17: bootID = try field.string(in: bytes)
        case 18: bootedAt = try field.number64()
        default: break
        }
    }
}
