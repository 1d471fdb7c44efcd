public import Foundation
public import PasteboardKit

// Names that programs for UIKit use for what is drawn. They have no effect, as there is no screen.

/// The animations of a drag or a drop.
@MainActor
public protocol UIDragAnimating {
    /// Adds animations.
    func addAnimations(_ animations: @escaping () -> Void)
    /// Adds a block that runs after the animations.
    func addCompletion(_ completion: @escaping (Int) -> Void)
}

/// A preview of a view, its parameters, or its place.
@MainActor
open class UITargetedPreview {
    /// Makes parameters.
    public init() {}
    /// Makes a preview.
    public init(view: InteractionView, parameters: UITargetedPreview = .init(), target: UITargetedPreview? = nil) {}
    /// Makes a place.
    public init(container: InteractionView, center: CGPoint) {}
    /// The colour behind the preview, and its outline.
    open var backgroundColor: UIColor?, visiblePath: UIBezierPath?
}

/// The name of a preview during a drag.
public typealias UIDragPreview = UITargetedPreview
/// The name of a preview of an item.
public typealias UITargetedDragPreview = UITargetedPreview
/// The name of the parameters of a preview.
public typealias UIPreviewParameters = UITargetedPreview
/// The name of the parameters of an item's preview.
public typealias UIDragPreviewParameters = UITargetedPreview
/// The name of the place of a preview.
public typealias UIPreviewTarget = UITargetedPreview
/// The name of the place of an item's preview.
public typealias UIDragPreviewTarget = UITargetedPreview

/// The indicator of a drop's progress.
public enum UIDropSessionProgressIndicatorStyle: UInt, Sendable {
    /// The indicators that UIKit has.
    case none, `default`
}

extension DropSession {
    /// The indicator of the progress.
    public var progressIndicatorStyle: UIDropSessionProgressIndicatorStyle {
        get { .none }
        set {}
    }
}

extension DragItem {
    /// The preview of the item. It is not called.
    @MainActor public var previewProvider: (@MainActor () -> UIDragPreview?)? {
        get { nil }
        set {}
    }
}

/// An outline.
@MainActor
open class UIBezierPath {
    /// Makes a rectangle.
    public init(rect: CGRect) {}
    /// Makes a rectangle with round corners.
    public init(roundedRect rect: CGRect, cornerRadius: Double) {}
}

/// A colour.
public struct UIColor: Hashable, Sendable {
    private let name: String

    /// Makes a colour.
    public init(red: Double, green: Double, blue: Double, alpha: Double) { name = "\(red) \(green) \(blue) \(alpha)" }
    /// Makes a grey.
    public init(white: Double, alpha: Double) { self.init(red: white, green: white, blue: white, alpha: alpha) }
    private init(_ name: String) { self.name = name }
    /// Colours that UIKit has.
    public static let clear = Self("clear"), black = Self("black"), white = Self("white"), gray = Self("gray"),
        lightGray = Self("light gray"), darkGray = Self("dark gray"), red = Self("red"), green = Self("green"),
        blue = Self("blue"), yellow = Self("yellow"), orange = Self("orange"), purple = Self("purple"),
        systemBackground = Self("background"), secondarySystemBackground = Self("second background"),
        label = Self("label"), secondaryLabel = Self("second label"), brown = Self("brown"), cyan = Self("cyan"),
        systemYellow = Self("yellow"), systemOrange = Self("orange"),
        systemPink = Self("pink"), systemPurple = Self("purple"), link = Self("link"), systemRed = Self("red"),
        systemGreen = Self("green"), systemBlue = Self("blue"), systemGray = Self("gray")
}

extension InteractionView {
    /// The colour behind the contents.
    public var backgroundColor: UIColor? {
        get { nil }
        set {}
    }
}

/// The contents of a bar.
@MainActor
open class UINavigationItem {
    /// The title, and buttons.
    open var title: String?, leftBarButtonItem: UIBarButtonItem?, rightBarButtonItem: UIBarButtonItem?
}

/// A button in a bar.
@MainActor
open class UIBarButtonItem {
    /// Whether the button can be pressed.
    open var isEnabled = true
}

/// Distances from the edges of a rectangle.
public typealias UIEdgeInsets = NSEdgeInsets

extension NSEdgeInsets {
    /// No distances.
    public static let zero = NSEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
}
