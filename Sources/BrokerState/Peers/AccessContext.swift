import PasteboardWire

/// The properties of a peer that decide which representations it may see.
struct AccessContext: Sendable {
    let process: ProcessKey
    /// Whether the peer passes contents on to another machine.
    var isLink = false
    /// The tokens of the peer's groups. A token proves membership, so no peer is shown it.
    var groups: [String] = []

    /// Whether the peer may see a representation that `owner` has published with this visibility.
    func sees(_ visibility: Visibility, of owner: AccessContext) -> Bool {
        switch visibility {
        case .all: true
        case .team: !isLink
        case .group: process == owner.process || groups.contains(where: owner.groups.contains)
        default: process == owner.process
        }
    }
}
