/// A key press.
public enum Key: Sendable, Hashable {
    /// A key that enters a character.
    case character(Character)
    /// A letter with the control key.
    case control(Character)
    /// An arrow.
    case up, down, left, right
    /// The keys that move to an end or by a page.
    case home, end, pageUp, pageDown
    /// The keys with names.
    case enter, escape, tab, backTab, backspace
}
