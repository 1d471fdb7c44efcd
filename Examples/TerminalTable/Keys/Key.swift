/// What somebody has pressed.
public enum Key: Sendable, Hashable {
    /// A key that writes.
    case character(Character)
    /// A letter with the control key.
    case control(Character)
    /// An arrow.
    case up, down, left, right
    /// The keys that go far.
    case home, end, pageUp, pageDown
    /// The keys with names.
    case enter, escape, tab, backTab, backspace, delete
}
