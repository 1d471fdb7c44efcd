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
    /// Whether a link may also see concealed contents, because its user wants that (feature `links`).
    package var seesConcealed: Bool?
    /// Whether a program is sent origins, and may send them, as a link does: it keeps a board and something else the
    /// same (feature `links`).
    package var carriesOrigins: Bool?

    package init() {}

    package mutating func fields(_ visit: inout some FieldVisitor) {
        visit(1, "minimum_version", &minimumVersion)
        visit(2, "maximum_version", &maximumVersion)
        visit(3, "features", &features, most: WireLimits.features)
        visit(4, "role", &role)
        visit(5, "label", &label)
        visit(6, "maximum_streams", &maximumStreams)
        visit(7, "program_version", &programVersion)
        visit(8, "groups", &groups, most: WireLimits.groups)
        visit(9, "sees_concealed", &seesConcealed)
        visit(10, "carries_origins", &carriesOrigins)
    }
}
