/// Which processes may see a representation.
public enum ItemProviderRepresentationVisibility: Int, Sendable {
    /// All that the broker admits.
    case all
    /// The processes of this user on this machine.
    case team
    /// This process, and those whose connection has a group token in common with this one's; see
    /// ``PasteboardConnection/init(socketPath:startsBroker:groups:)``.
    case group
    /// This process alone. It is never told to the broker: only the provider itself can load it.
    case ownProcess
}
