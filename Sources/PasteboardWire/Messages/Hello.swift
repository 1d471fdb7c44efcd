/// The first frame of a client: what it speaks, what it can do, who it says it is. Frozen for all versions.
package struct Hello: WireMessage {
    package static let kind = FrameKind.hello

    /// The protocol versions that the client speaks.
    package var minimumVersion: UInt32?
    package var maximumVersion: UInt32?
    /// Feature numbers that the client has, without obligation.
    package var features: [UInt32] = []
    package var role: Role?
    /// The program's name, as it says itself: shown in errors and lists, never trusted.
    package var label: String?
    /// The most asks that the client serves at once; the broker queues the rest.
    package var maximumStreams: UInt32?
    package var programVersion: String?
    /// Tokens of the groups that the client is in: whoever shows the same one may see what is for the group.
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
