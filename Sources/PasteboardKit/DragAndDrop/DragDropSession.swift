/// The view of a drag session that its source and its destinations have in common.
///
/// The delegates' methods take this protocol, so a program's own tests can pass mock sessions to them.
public protocol DragDropSession: AnyObject, Sendable {
    /// The items, in the source's order. Items may be added during the session; none are removed.
    var items: [DragItem] { get }
    /// Whether the session allows ``DropOperation/move``. In a ``DropSession`` the value applies to a drop at this
    /// destination.
    var allowsMoveOperation: Bool { get }
    /// Whether only the process in which the session began may be its destination.
    var isRestrictedToDraggingApplication: Bool { get }
    /// The location to which the session was last moved; nil before the first move, or if the session is nowhere.
    var location: DropLocation? { get }
}

extension DragDropSession {
    /// Returns whether any item has this type, or a type that conforms to it.
    public func canLoad(_ type: UniformType) -> Bool {
        items.contains { $0.itemProvider.canLoad(type) }
    }

    /// Returns whether an object of the class can be loaded from any of the items. It loads nothing.
    public func canLoad(_ aClass: any ItemProviderReading.Type) -> Bool {
        items.contains { $0.itemProvider.canLoad(aClass) }
    }
}

/// The source's view of a drag session.
public protocol DragSession: DragDropSession {
    /// A value that the source sets. Destinations in the same process read it from ``DropSession/localDragSession``. It
    /// is never sent.
    @MainActor var localContext: Any? { get set }
}

/// A destination's view of a drag session.
///
/// Types, names and the number of items are known from the beginning. Loads can begin only while the drop is performed;
/// before and after that they fail with `not-loadable-now`. Loads that have begun continue.
public protocol DropSession: DragDropSession {
    /// The drag, if it began in this process and is still referenced; otherwise nil. It shows whether a session is the
    /// program's own.
    var localDragSession: (any DragSession)? { get }
    /// The progress of all loads of this drop together. Cancelling it cancels all of them.
    ///
    /// If the handler itself does lengthy work before or after the loads, it adds that work to this progress. As long
    /// as the progress advances, no limit ends the drop.
    ///
    ///     let copying = LoadProgress(totalUnitCount: byteCount)
    ///     session.progress.totalUnitCount += 1
    ///     session.progress.addChild(copying, withPendingUnitCount: 1)
    var progress: LoadProgress { get }

    /// The result of the session, the same as its source's; nil until the session has ended.
    ///
    /// After ``Drag/Outcome/transferred(_:)`` the drop is complete, and the source of a move may delete its items.
    /// After ``Drag/Outcome/failed(_:)`` the source or the destination has abandoned the drop. The source of a move
    /// then keeps its items, except those that the destination took while it left others. Show the error to the user,
    /// but keep what has arrived: after a lost connection neither side can be sure of the result.
    var outcome: Drag.Outcome? { get }

    /// Loads an object from each item that has a type the class reads. Call it while a drop is performed.
    ///
    /// - Parameters:
    ///   - aClass: the class of the objects. It reads the bytes on a thread of the library.
    ///   - options: the conditions of each load.
    ///   - progress: receives the progress of the loads together. Cancelling it leaves out the objects that have not
    ///     arrived.
    /// - Returns: the objects that could be made, in the order of their items. If bytes arrived but an object could not
    ///   be made of them, the source deletes nothing.
    /// - Throws: the first error, if there are suitable items but no object could be made; `cancelled` if the task is
    ///   cancelled.
    func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions,
        progress: LoadProgress?
    ) async throws(PasteboardError) -> sending [T]

    /// Keeps the drop window open until `body` has returned.
    ///
    /// Use it in `performDrop`, which is synchronous, and in a handler that first asks the user. While `body` runs, the
    /// broker waits for the first load up to its limit `session`: 10 minutes without a byte or progress.
    ///
    /// - Parameter body: the work to wait for. It begins immediately, on the main actor. If it throws, the drop fails
    ///   and a move deletes nothing.
    func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void)
}

extension DropSession {
    /// Loads an object from each item that has a type the class reads, as ``load(_:options:progress:)`` does.
    public func load<T: ItemProviderReading>(
        _ aClass: T.Type,
        options: LoadOptions = LoadOptions()
    ) async throws(PasteboardError) -> sending [T] {
        try await load(aClass, options: options, progress: nil)
    }

    /// The default for mock sessions in a program's tests, which never end: nil.
    public var outcome: Drag.Outcome? { nil }
}
