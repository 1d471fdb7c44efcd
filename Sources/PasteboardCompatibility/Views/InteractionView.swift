public import Foundation
public import PasteboardKit
public import TypeIdentifiers

/// A view as drag and drop sees it, without a screen: a frame, a position in a tree, and interactions.
///
///     let list = InteractionView(frame: CGRect(x: 0, y: 0, width: 200, height: 400))
///     list.addInteraction(DropInteraction(delegate: controller))
///     try await list.register(as: "places")
///
/// A session is over the deepest subview at its point. Where subviews overlap, the uppermost one counts. A view that
/// has no suitable interaction leaves the session to the view around it.
@MainActor
open class InteractionView {
    /// The view's frame, in the coordinates of its superview. The frame of an outermost view has no effect: its
    /// coordinates begin at its own corner, and it takes every point that a session is directed to.
    open var frame: CGRect
    /// Whether sessions can be over the view and its subviews, and whether drags can begin there.
    open var isUserInteractionEnabled = true
    /// The view that contains this one.
    public private(set) weak var superview: InteractionView?
    /// The views in this one. The last one is uppermost.
    public private(set) var subviews: [InteractionView] = []
    /// The view's interactions, in the order in which they were added. Setting the list removes the others, and adds
    /// those that are new.
    open var interactions: [any Interaction] {
        get { ownInteractions }
        set {
            for old in ownInteractions where !newValue.contains(where: { $0 === old }) { removeInteraction(old) }
            for new in newValue { addInteraction(new) }
        }
    }
    private var ownInteractions: [any Interaction] = []

    /// The connection for drags that begin in this tree. Only that of the outermost view is used. Registering the view
    /// sets it.
    public var connection = PasteboardConnection.shared
    /// The view's own drop target, for views that take drops without an interaction.
    package var ownDropTarget: (any DropTarget)?
    /// The sessions over this view and its subviews.
    private(set) lazy var sessions = ViewSessions(root: self)
    /// The destination for drags that begin in this tree, if this is its outermost view.
    var homeDestination: ViewDestination?
    private var destination: ViewDestination?
    private var isRegistering = false

    /// Makes a view.
    public init(frame: CGRect) {
        self.frame = frame
    }

    /// Makes a view with an empty frame. There are no archives of views: nothing is decoded.
    public required init?(coder: NSCoder) {
        frame = .zero
    }

    /// Makes a view with an empty frame.
    public convenience init() {
        self.init(frame: .zero)
    }

    // Calls that subclasses override. Without a screen and archives, only the first one happens.

    /// Called after the view was added to another one, or removed from it. Does nothing.
    open func didMoveToSuperview() {}
    /// Does nothing, and is not called.
    open func layoutSubviews() {}
    /// Does nothing, and is not called.
    open func awakeFromNib() {}

    /// Adds a view as the uppermost subview, and removes it from its previous superview. The view must be neither this
    /// one nor a view that contains this one.
    public func addSubview(_ view: InteractionView) {
        precondition(!isDescendant(of: view), "a view cannot be a subview of itself")
        view.superview?.subviews.removeAll { $0 === view }
        subviews.append(view)
        view.superview = self
        view.didMoveToSuperview()
    }

    /// Removes the view from its superview. A session that is over it leaves it with the next pointer update.
    public func removeFromSuperview() {
        guard let superview else { return }
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        didMoveToSuperview()
    }

    /// Adds an interaction to the view, and removes it from any other view.
    public func addInteraction(_ interaction: any Interaction) {
        guard !ownInteractions.contains(where: { $0 === interaction }) else { return }
        interaction.view?.removeInteraction(interaction)
        interaction.willMove(to: self)
        ownInteractions.append(interaction)
        interaction.didMove(to: self)
    }

    /// Removes an interaction from the view. A drag that has begun and a drop that is being performed continue.
    public func removeInteraction(_ interaction: any Interaction) {
        guard let index = ownInteractions.firstIndex(where: { $0 === interaction }) else { return }
        interaction.willMove(to: nil)
        ownInteractions.remove(at: index)
        interaction.didMove(to: nil)
    }

    /// Registers this view and its subviews as a destination, to which sessions of other processes can be directed.
    /// Without a registration, its interactions get only drags that begin in the same tree of views.
    ///
    /// A session is over the view at the location's point, which is in the coordinates of the outermost view. A session
    /// without a point is over the first view that can handle it. The views are asked from the outside to the inside,
    /// and from the uppermost to the lowest.
    ///
    /// Several sessions can be at the view at once only if, at the time of this call, an interaction or a table of the
    /// tree allows it.
    ///
    /// - Parameters:
    ///   - name: the name of the destination. The rules for pasteboard names apply. Drags that begin in the tree may
    ///     also use the empty name.
    ///   - types: the accepted types. The view is not notified of sessions without an item of these types.
    ///   - connection: the connection to the broker. If this is the outermost view, drags that begin in the tree use it
    ///     too.
    /// - Throws: `refused` if the name is taken; `invalid-argument` if the view is already registered; the error that
    ///   ended the connection; `cancelled` if the task is cancelled. If the connection is lost later, the view is
    ///   registered again. If that is impossible, ``registrationOutcome()`` returns the error.
    public func register(
        as name: String,
        accepting types: [UniformType] = [.item],
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) {
        guard !isRegistering, destination?.isServed != true else {
            throw PasteboardError(
                .invalidArgument,
                message:
                    "the view cannot be registered as \(name): it is already registered as "
                    + "\(destination?.name ?? "something else"); unregister it first, or register an enclosing view"
            )
        }
        isRegistering = true
        defer { isRegistering = false }
        destination = try await ViewDestination(
            name,
            accepting: types,
            allowsSimultaneousSessions: allDropTargets.contains { $0.allowsSimultaneousDropSessions },
            sessions: sessions,
            connection: connection
        )
        self.connection = connection
    }

    /// Ends the registration of the view, and with it the sessions there. It does nothing for a view that is not
    /// registered.
    public func unregister() async {
        destination = nil
    }

    /// Waits until the registration of the view and its sessions have ended. It returns at once if the view is not
    /// registered.
    ///
    /// Cancelling the task does not end the wait; unregistering the view does. The wait keeps the view alive.
    ///
    /// - Returns: the error that ended the registration; nil if the view was unregistered.
    public func registrationOutcome() async -> PasteboardError? {
        await destination?.end?.value
    }

    /// Begins a drag at a point, as a finger does. The deepest view at the point that has an enabled
    /// ``DragInteraction`` provides the items.
    ///
    /// The interaction's delegate is notified of the drag's events. The drag continues until it is dropped or
    /// cancelled, even if it is not referenced. A `DropLocation` with the name "" refers to the tree of views in
    /// which the drag began.
    ///
    /// - Parameter point: a point in this view's coordinates.
    /// - Returns: the drag; nil if there is no such interaction, or if its delegate provides no items.
    /// - Throws: the broker's reason for refusing the drag; `cancelled` if the task is cancelled. A delegate that was
    ///   notified of the beginning is also notified of the end.
    open func beginDrag(at point: CGPoint) async throws(PasteboardError) -> Drag? {
        guard let (interaction, point) = dragInteraction(at: point) else { return nil }
        return try await interaction.beginDrag(at: point)
    }
}

/// A behaviour of a view: a ``DragInteraction``, a ``DropInteraction``, or one of the program's own.
@MainActor
public protocol Interaction: AnyObject, Sendable {
    /// The view to which the interaction belongs.
    var view: InteractionView? { get }
    /// The interaction is about to move to another view; nil: to none.
    func willMove(to view: InteractionView?)
    /// The interaction has moved to another view; nil: to none.
    func didMove(to view: InteractionView?)
}

extension Interaction {
    /// Does nothing.
    public func willMove(to view: InteractionView?) {}
    /// Does nothing.
    public func didMove(to view: InteractionView?) {}
}
