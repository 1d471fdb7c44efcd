import PasteboardWire

/// Who asks: what decides which representations a peer may see.
struct Viewer: Sendable {
    let process: ProcessKey
    /// Whether it passes on what it sees to another machine.
    var isLink = false
    /// The tokens of the groups that it is in. Whoever knows one is in the group, so they are shown to nobody.
    var groups: [String] = []

    /// Whether it may see what `owner` has published with this visibility.
    func sees(_ visibility: Visibility, of owner: Viewer) -> Bool {
        switch visibility {
        case .all: true
        case .team: !self.isLink
        case .group: self.process == owner.process || self.groups.contains(where: owner.groups.contains)
        default: self.process == owner.process
        }
    }
}

typealias AccessContext = Viewer
