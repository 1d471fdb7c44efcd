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
        bytes.appendField(1, self.minimumVersion)
        bytes.appendField(2, self.maximumVersion)
        bytes.appendField(3, repeated: self.features)
        bytes.appendField(4, self.role)
        bytes.appendField(5, self.label)
        bytes.appendField(6, self.maximumStreams)
        bytes.appendField(7, self.programVersion)
        bytes.appendField(8, repeated: self.groups)
    }

    package mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure) {
        switch field.number {
        case 1: self.minimumVersion = try field.number32()
        case 2: self.maximumVersion = try field.number32()
        case 3: try field.append(to: &self.features, limit: WireLimits.features, in: bytes)
        case 4: self.role = try field.enumeration()
        case 5: self.label = try field.string(in: bytes)
        case 6: self.maximumStreams = try field.number32()
        case 7: self.programVersion = try field.string(in: bytes)
        case 8: try field.append(to: &self.groups, limit: WireLimits.groups, in: bytes)
        default: break
        }
    }
}
