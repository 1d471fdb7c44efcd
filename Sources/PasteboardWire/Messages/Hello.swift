/// The first frame of a client: its versions, its features and its name. Frozen for all versions of the protocol.
package struct Hello: WireMessage {
    package static let kind = FrameKind.hello

    /// The range of protocol versions that the client supports, with `maximumVersion`.
    package var minimumVersion: UInt32?
    package var maximumVersion: UInt32?
    /// The features that the client has. It need not use them.
    package var features: [UInt32] = []
    package var role: Role?
    /// The program's name, as reported by itself. It is shown in errors and lists, and never trusted.
    package var label: String?
    /// The largest number of asks that the client serves at once; the broker queues the others.
    package var maximumStreams: UInt32?
    package var programVersion: String?
    /// The tokens of the client's groups. Clients with the same token may see representations for the group.
    package var groups: [String] = []

    package init() {}

    package func encode(into bytes: inout OutputSpan<UInt8>) {
        bytes.appendField(1, minimumVersion)
        bytes.appendField(2, maximumVersion)
        bytes.appendField(3, repeated: features)
        bytes.appendField(4, role)
        bytes.appendField(5, label)
        bytes.appendField(6, maximumStreams)
        bytes.appendField(7, programVersion)
        bytes.appendField(8, repeated: groups)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: minimumVersion = try field.number32()
        case 2: maximumVersion = try field.number32()
        case 3: try field.append(to: &features, limit: WireLimits.features, in: bytes)
        case 4: role = try field.enumeration()
        case 5: label = try field.string(in: bytes)
        case 6: maximumStreams = try field.number32()
        case 7: programVersion = try field.string(in: bytes)
        case 8: try field.append(to: &groups, limit: WireLimits.groups, in: bytes)
        default: break
        }
    }
}
