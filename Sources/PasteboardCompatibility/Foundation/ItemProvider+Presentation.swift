public import Foundation
public import PasteboardKit

/// The style in which an item prefers to be shown after a drop or paste. It is a hint, as in NSItemProvider.
public enum PreferredPresentationStyle: Int, Sendable {
    /// The destination decides.
    case unspecified
    /// Shown within the surrounding text.
    case inline
    /// Shown as an attachment.
    case attachment
}

extension ItemProvider {
    /// The size in which the item prefers to be shown, in points; zero if it is not known.
    public var preferredPresentationSize: CGSize {
        get { CGSize(width: presentation.width, height: presentation.height) }
        set { (presentation.width, presentation.height) = (newValue.width, newValue.height) }
    }

    /// The style in which the item prefers to be shown.
    public var preferredPresentationStyle: PreferredPresentationStyle {
        get { PreferredPresentationStyle(rawValue: Int(presentation.style)) ?? .unspecified }
        set { presentation.style = UInt32(newValue.rawValue) }
    }

    /// Returns another provider with the current registrations, as `NSCopying` does. Later registrations of one do not
    /// affect the other.
    public func copy() -> ItemProvider { ItemProvider(copying: self) }
}
