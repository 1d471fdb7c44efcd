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

/// The parameters of a preview.
@MainActor
open class UIPreviewParameters {
    /// Makes parameters.
    public init() {}
}
/// The parameters of a preview of a drag.
public typealias UIDragPreviewParameters = UIPreviewParameters

/// The place of a preview.
@MainActor
open class UIPreviewTarget {
    /// Makes a target.
    public init(container: InteractionView, center: CGPoint) {}
}
/// The place of a preview of a drag.
public typealias UIDragPreviewTarget = UIPreviewTarget

/// A preview of a view.
@MainActor
open class UITargetedPreview {
    /// The view.
    public let view: InteractionView
    /// Makes a preview.
    public init(view: InteractionView, parameters: UIPreviewParameters = .init(), target: UIPreviewTarget? = nil) {
        self.view = view
    }
}
/// A preview of an item that is lifted or dropped.
public typealias UITargetedDragPreview = UITargetedPreview
/// A preview of an item during a drag.
public typealias UIDragPreview = UITargetedPreview

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

/// A colour.
public struct UIColor: Hashable, Sendable {
    /// Makes a colour.
    public init(red: Double, green: Double, blue: Double, alpha: Double) {}
    /// Makes a grey.
    public init(white: Double, alpha: Double) {}
    private init() {}
    /// Colours that UIKit has.
    public static let clear = Self(), black = Self(), white = Self(), gray = Self(), lightGray = Self(),
        darkGray = Self(), red = Self(), green = Self(), blue = Self(), yellow = Self(), orange = Self(),
        purple = Self(), systemBackground = Self(), systemYellow = Self(), systemOrange = Self(), systemPink = Self(),
        systemPurple = Self(), link = Self(), systemRed = Self(), systemGreen = Self(), systemBlue = Self(),
        systemGray = Self()
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
public struct UIEdgeInsets: Hashable, Sendable {
    /// The distances.
    public var top, left, bottom, right: Double
    /// Makes distances.
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
    /// No distances.
    public static let zero = Self()
}
