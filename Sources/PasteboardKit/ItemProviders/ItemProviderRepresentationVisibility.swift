/// Which processes may see a representation.
public enum ItemProviderRepresentationVisibility: Int, Sendable {
    /// All that the broker admits.
    case all
    /// The processes of this user on this machine.
    case team
    /// Processes that share a group with this one. Until groups can be joined, that is this process alone.
    case group
    /// This process alone. It is never told to the broker: only the provider itself can load it.
    case ownProcess
}
