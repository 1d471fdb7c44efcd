public import PasteboardKit

/// An object that is equal only to itself, as the objects of Apple's frameworks are.
public protocol IdentityHashable: AnyObject, Hashable {}

extension IdentityHashable {
    /// Whether both are the same object.
    public static func == (one: Self, other: Self) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ItemProvider: IdentityHashable {}
extension DragItem: IdentityHashable {}
extension InteractionView: IdentityHashable {}
extension UIViewController: IdentityHashable {}
