/// Something that a view takes part in: a ``DragInteraction``, a ``DropInteraction``, or a program's own.
@MainActor
public protocol Interaction: AnyObject, Sendable {
    /// The view that has it.
    var view: InteractionView? { get }
    /// It is about to leave its view for another; nil: for none.
    func willMove(to view: InteractionView?)
    /// It belongs to another view now; nil: to none.
    func didMove(to view: InteractionView?)
}

extension Interaction {
    /// Does nothing.
    public func willMove(to view: InteractionView?) {}
    /// Does nothing.
    public func didMove(to view: InteractionView?) {}
}
