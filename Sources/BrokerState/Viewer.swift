/// Who asks: what decides which representations a peer may see.
struct Viewer: Sendable {
    let process: ProcessKey
    /// Whether it passes on what it sees to another machine.
    var isLink = false
    /// The tokens of the groups that it is in. Whoever knows one is in the group, so they are shown to nobody.
    var groups: [String] = []

    /// Whether it may see what `owner` has published with this visibility.
    func sees(_ visibility: UInt8, of owner: Viewer) -> Bool {
        switch visibility {
        case 0: true
        case 1: !self.isLink
        case 2: self.process == owner.process || self.groups.contains(where: owner.groups.contains)
        default: self.process == owner.process
        }
    }
}

typealias AccessContext = Viewer
