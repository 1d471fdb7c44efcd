public import Foundation
public import PasteboardCompatibility

/// The view above or below the rows of a section. A table without a screen asks for none.
@MainActor
open class UITableViewHeaderFooterView: RowCell {
    /// The label with the title.
    public let textLabel: UILabel? = UILabel()

    /// Makes a view.
    public init(reuseIdentifier: String?) {
        super.init(frame: .zero)
        self.reuseIdentifier = reuseIdentifier
    }

    /// Makes a view with an empty frame.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Makes a view of a registered class.
    public required convenience init(reusedAs identifier: String) {
        self.init(reuseIdentifier: identifier)
    }
}

extension Table {
    /// Sets the class of the views that are made for an identifier; nil for an ordinary view.
    public func register(_ viewClass: AnyClass?, forHeaderFooterViewReuseIdentifier identifier: String) {
        cellClasses[identifier] = viewClass
    }

    /// Makes a view of the registered class, or an ordinary view. It never returns nil.
    public func dequeueReusableHeaderFooterView(withIdentifier identifier: String) -> UITableViewHeaderFooterView? {
        makeCell(identifier)
    }
}
