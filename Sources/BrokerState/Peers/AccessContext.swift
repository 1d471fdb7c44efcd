import PasteboardWire

/// The properties of a peer that decide which representations it may see.
struct AccessContext: Sendable {
    let process: ProcessKey
    /// Whether the peer passes contents on to another machine.
    var isLink = false
    /// Whether it is sent the origins of contents: a link, or a bridge to a desktop.
    var carriesOrigins = false
    /// Whether it also passes concealed contents on.
    var passesConcealed = false
    /// The tokens of the peer's groups. A token proves membership, so no peer is shown it.
    var groups: [String] = []

    /// The visibilities with which `owner` may publish representations that the peer may see.
    ///
    /// The groups are compared once, however many representations are checked.
    func visibilities(of owner: AccessContext) -> VisibilitySet {
        let isOwn = !isLink && process == owner.process
        return VisibilitySet(
            includesTeam: !isLink,
            includesGroup: isOwn || !isLink && groups.contains(where: owner.groups.contains),
            includesOwnProcess: isOwn
        )
    }
}

/// The links for which contents exist.
enum SeeingLinks: BitwiseCopyable, Comparable {
    case none
    /// Links that also pass concealed contents on.
    case passingConcealed
    case all

    func include(_ link: AccessContext) -> Bool { self >= (link.passesConcealed ? .passingConcealed : .all) }
}

/// Visibilities of representations that a peer may see.
struct VisibilitySet: BitwiseCopyable, Equatable {
    let includesTeam: Bool
    let includesGroup: Bool
    let includesOwnProcess: Bool

    func contains(_ visibility: Visibility) -> Bool {
        switch visibility {
        case .all: true
        case .team: includesTeam
        case .group: includesGroup
        default: includesOwnProcess
        }
    }
}
