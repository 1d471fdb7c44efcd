/// Whose order decides which of several types that fit is loaded.
public enum LoadPreference: Sendable {
    /// The first of the source's types that is accepted: the most faithful one, as NSItemProvider chooses.
    case source
    /// The first of the accepted types that there is.
    case reader
}
