public import Foundation

// Names that programs for UIKit use to lay out views. They have no effect, as there is no screen: a view has the frame
// that the program sets.

/// A relation between places or sizes of views.
@MainActor
open class NSLayoutConstraint {
    /// Whether the constraint applies.
    open var isActive = false
    /// The distance.
    open var constant: CGFloat = 0
    /// The weight against other constraints.
    open var priority: Float = 1_000

    /// Makes these constraints apply.
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
    /// Makes these constraints not apply.
    public static func deactivate(_ constraints: [NSLayoutConstraint]) {}
}

/// An edge, a centre or a size of a view.
@MainActor
open class NSLayoutAnchor {
    /// Relates the anchor to another one.
    public func constraint(
        equalTo anchor: NSLayoutAnchor,
        multiplier: CGFloat = 1,
        constant: CGFloat = 0
    ) -> NSLayoutConstraint { .init() }
    /// Relates the anchor to another one.
    public func constraint(
        greaterThanOrEqualTo anchor: NSLayoutAnchor,
        constant: CGFloat = 0
    ) -> NSLayoutConstraint { .init() }
    /// Relates the anchor to another one.
    public func constraint(
        lessThanOrEqualTo anchor: NSLayoutAnchor,
        constant: CGFloat = 0
    ) -> NSLayoutConstraint { .init() }
    /// Sets the size.
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint { .init() }
}

/// A thing to which constraints refer: a view, or an area of one.
@MainActor
public protocol LayoutAnchored {}

extension LayoutAnchored {
    private var anchor: NSLayoutAnchor { .init() }
    /// The upper edge.
    public var topAnchor: NSLayoutAnchor { anchor }
    /// The lower edge.
    public var bottomAnchor: NSLayoutAnchor { anchor }
    /// The left edge, in languages that are written from the left.
    public var leadingAnchor: NSLayoutAnchor { anchor }
    /// The right edge, in languages that are written from the left.
    public var trailingAnchor: NSLayoutAnchor { anchor }
    /// The left edge.
    public var leftAnchor: NSLayoutAnchor { anchor }
    /// The right edge.
    public var rightAnchor: NSLayoutAnchor { anchor }
    /// The horizontal centre.
    public var centerXAnchor: NSLayoutAnchor { anchor }
    /// The vertical centre.
    public var centerYAnchor: NSLayoutAnchor { anchor }
    /// The width.
    public var widthAnchor: NSLayoutAnchor { anchor }
    /// The height.
    public var heightAnchor: NSLayoutAnchor { anchor }
}

/// An area of a view.
public struct UILayoutGuide: LayoutAnchored {}

extension InteractionView: LayoutAnchored {
    /// The sides of a view that follow its superview.
    public struct AutoresizingMask: OptionSet, Sendable {
        /// The bits of the sides.
        public let rawValue: UInt
        /// Makes sides from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The sides that UIKit has.
        public static let flexibleWidth = Self(), flexibleHeight = Self(), flexibleTopMargin = Self(),
            flexibleBottomMargin = Self(), flexibleLeftMargin = Self(), flexibleRightMargin = Self()
    }

    /// The sides that follow the superview.
    public var autoresizingMask: AutoresizingMask {
        get { [] }
        set {}
    }
    /// Whether those sides become constraints.
    public var translatesAutoresizingMaskIntoConstraints: Bool {
        get { true }
        set {}
    }
    /// The area that nothing else covers.
    public var safeAreaLayoutGuide: UILayoutGuide { .init() }
    /// The area within the margins.
    public var layoutMarginsGuide: UILayoutGuide { .init() }
}
