/// How an item would like to be shown where it is dropped or pasted, as NSItemProvider has it: a hint.
public enum PreferredPresentationStyle: Int, Sendable {
    /// As the destination likes.
    case unspecified
    /// Among the text around it.
    case inline
    /// As an attachment.
    case attachment
}
