public import TypeIdentifiers

/// What a view is to drag and drop, without a screen: a frame, a position in a tree, and interactions.
///
///     let list = InteractionView(frame: Rect(x: 0, y: 0, width: 200, height: 400))
///     list.addInteraction(DropInteraction(delegate: controller))
///     try await list.register(as: "places")
///
/// A session that is over a view is over the deepest of its subviews that has the point, of several side by side the
/// uppermost. A view without an interaction for it leaves it to the next one around it.
@MainActor
open class InteractionView {
    /// Where it is, in the coordinates of its superview. An outermost view has its own coordinates, with the origin in its
    /// corner, and every point that is directed to it.
    open var frame: Rect
    /// Whether sessions are over it and its subviews, and drags begin there.
    open var isUserInteractionEnabled = true
    /// What it lies in.
    public private(set) weak var superview: InteractionView?
    /// What lies in it, the last uppermost.
    public private(set) var subviews: [InteractionView] = []
    /// What it takes part in, in the order of adding.
    public private(set) var interactions: [any Interaction] = []

    /// The way to the broker for drags that begin in this tree, if it is its outermost view. Registering it sets it.
    public var connection = PasteboardConnection.shared
    /// What takes drops in it besides its interactions, if it is a view of its own kind.
    package var ownDropTarget: (any DropTarget)?
    /// What sessions are over here and in what lies in it.
    private(set) lazy var sessions = ViewSessions(root: self)
    /// What drags that begin in this tree find it by, if it is its outermost view.
    var homeDestination: ViewDestination?
    private var destination: ViewDestination?
    private var isRegistering = false

    /// Makes a view.
    public init(frame: Rect = .zero) {
        self.frame = frame
    }

    /// Puts a view uppermost into this one, out of any other. A view cannot be put into itself or what lies in it.
    public func addSubview(_ view: InteractionView) {
        precondition(!isDescendant(of: view), "a view cannot lie in itself")
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }

    /// Takes it out of the view that it lies in. A session that is over it leaves it with its next movement.
    public func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }

    /// Has it take part in something, and no other view any more.
    public func addInteraction(_ interaction: any Interaction) {
        guard !interactions.contains(where: { $0 === interaction }) else { return }
        interaction.view?.removeInteraction(interaction)
        interaction.willMove(to: self)
        interactions.append(interaction)
        interaction.didMove(to: self)
    }

    /// Has it take part no more. What is under way goes on to its end: a drag that has begun, a drop that is performed.
    public func removeInteraction(_ interaction: any Interaction) {
        guard let index = interactions.firstIndex(where: { $0 === interaction }) else { return }
        interaction.willMove(to: nil)
        interactions.remove(at: index)
        interaction.didMove(to: nil)
    }

    /// Makes this view, and what lies in it, a destination that sessions of other processes can be directed to. Without it
    /// only drags that begin in the same tree of views come to its interactions.
    ///
    /// A session is over the view that has the location's point, which is in the coordinates of the outermost view. Without a
    /// point it is over the first view that can handle it: this one, or what lies in it, the uppermost first.
    /// Several sessions come at once only if one of the tree's interactions, or a table in it, allows it now.
    ///
    /// - Parameters:
    ///   - name: what sources direct their sessions to, by the rules of a pasteboard's name. Drags that begin in the tree
    ///     may also say "".
    ///   - types: what it takes; sessions without such an item do not come to it.
    ///   - connection: the way to the broker. Drags that begin in the tree take the same, if this is its outermost view.
    /// - Throws: `refused` if the name is taken; `invalid-argument` if the view is registered already; what has ended the
    ///   connection; `cancelled` if the task is. When the connection is lost later, the view is no destination any more and
    ///   can be registered anew: ``registrationEnded()`` tells.
    public func register(
        as name: String,
        accepting types: [UniformType] = [.item],
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) {
        guard !isRegistering, destination?.isServed != true else {
            throw PasteboardError(
                .invalidArgument,
                message:
                    "the view cannot be registered as \(name): it is as \(destination?.name ?? "something else") already; "
                    + "unregister it first, or register a view around it"
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

    /// Gives the name up; the sessions at it end. Does nothing for a view that is not registered.
    public func unregister() async {
        destination = nil
    }

    /// Returns once the view is no destination any more, and its sessions are over; at once if it is none.
    ///
    /// Cancelling the task does not end the wait; unregistering the view does. The view is held meanwhile.
    ///
    /// - Returns: what has ended the connection; nil if the view was unregistered.
    public func registrationEnded() async -> PasteboardError? {
        await destination?.end?.value
    }

    /// Begins a drag as a finger does: asks the deepest view at a point that has an enabled ``DragInteraction``.
    ///
    /// The interaction's delegate hears what becomes of the drag, which goes on until it is dropped or cancelled, whether or
    /// not somebody holds it. The ``DropLocation`` with the name "" is the tree of views that it began in.
    ///
    /// - Parameter point: in this view's coordinates.
    /// - Returns: nil if there is no such interaction, or if its delegate gives no items.
    /// - Throws: what has refused the drag; `cancelled` if the task is cancelled. A delegate that was told of a beginning is
    ///   told of the end.
    open func beginDrag(at point: Point) async throws(PasteboardError) -> Drag? {
        guard let (interaction, point) = dragInteraction(at: point) else { return nil }
        return try await interaction.beginDrag(at: point)
    }
}

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
