/// A view that has a text.
@MainActor
open class UILabel: InteractionView {
    /// The text.
    open var text: String?
    /// The number of lines, and the colour of the text, which make no difference.
    open var numberOfLines = 1, textColor: UIColor? = .black
}
