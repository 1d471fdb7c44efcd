/// How often a handler is asked.
public enum LoadPolicy: Sendable {
    /// At each load, and at several at once if there are several: what NSItemProvider does.
    case everyTime
    /// Once, by the first load that succeeds: loads at the same time share it, later ones get the same bytes, and the
    /// broker keeps them, so that they outlive this process until the pasteboard is written again. A call that fails, or
    /// that the last of its loads has cancelled, does not count.
    case onceAndKept
}
