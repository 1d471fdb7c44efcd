/// What both sides of a drag and drop see of it. As the delegates' methods have it as a parameter, a program's own tests
/// can hand them a session of their own.
public protocol DragDropSession: AnyObject, Sendable {
    /// The items, in the source's order. There may become more while the session is under way, never fewer.
    var items: [DragItem] { get }
    /// Whether ``DropOperation/move`` would be honoured; of a ``DropSession``, for a drop here.
    var allowsMoveOperation: Bool { get }
    /// Whether the session is for the process alone that it began in.
    var isRestrictedToDraggingApplication: Bool { get }
    /// Where the session is, in the coordinates of a view of the destination; the view's origin if only a row is known, or
    /// nothing.
    @MainActor func location(in view: InteractionView) -> Point
}

extension DragDropSession {
    /// Whether any of the items can be had as any of the types, or as one that conforms to it.
    public func hasItemsConforming(toTypeIdentifiers typeIdentifiers: [String]) -> Bool {
        items.contains { item in
            typeIdentifiers.contains { item.itemProvider.hasItemConformingToTypeIdentifier($0) }
        }
    }

    /// Whether an object of the class can be loaded from any of the items. Nothing is loaded.
    public func canLoadObjects(ofClass aClass: any ItemProviderReading.Type) -> Bool {
        items.contains { $0.itemProvider.canLoadObject(ofClass: aClass) }
    }
}

/// A drag and drop as its source sees it.
public protocol DragSession: DragDropSession {
    /// Any value of the source's own. Destinations in its process see it by ``DropSession/localDragSession``; it is never
    /// sent.
    @MainActor var localContext: Any? { get set }
}

/// A drag and drop as a destination sees it.
///
/// Types, names and the number of items can be seen from the beginning, bytes not: loads begin while the drop is performed,
/// or, before and after, fail with `not-loadable-now`. Those that have begun go on.
public protocol DropSession: DragDropSession {
    /// The drag, if it began in this process and somebody still holds it: the way to ask whether it is one's own.
    var localDragSession: (any DragSession)? { get }
    /// How far all loads of this drop are together. Cancelling it cancels them all.
    ///
    /// A handler whose own work takes long, before or after the loads, adds that work to it. As long as the progress
    /// advances, no limit ends the drop.
    ///
    ///     let copying = LoadProgress(totalUnitCount: byteCount)
    ///     session.progress.totalUnitCount += 1
    ///     session.progress.addChild(copying, withPendingUnitCount: 1)
    var progress: LoadProgress { get }

    /// The result of the session, the same as its source's; nil until the session is over.
    ///
    /// After ``Drag/Outcome/transferred(_:)`` the drop is complete, and the source of a move may delete its items. After
    /// ``Drag/Outcome/failed(_:)`` either side has given the drop up: the source of a move keeps its items, except those
    /// that were taken while others were left. Show the error to a person, but do not delete what has arrived because of
    /// it: after a lost connection neither side can be sure of the result.
    var outcome: Drag.Outcome? { get }

    /// Loads an object from each item that one can be made of. It is for use while a drop is performed.
    ///
    /// - Parameters:
    ///   - aClass: what is to be made of the bytes, on a thread of the library.
    ///   - completion: gets, once, the objects that could be made, in the order of their items: others are left out, and so
    ///     it may be none. The drop is complete only when it has returned. Where an object could not be made of bytes that
    ///     have arrived, nothing is deleted at the source.
    /// - Returns: how far it is. Cancelling it leaves out what is not there yet.
    @discardableResult
    func loadObjects<T: ItemProviderReading>(
        ofClass aClass: T.Type,
        completion: @escaping @MainActor (_ objects: sending [T]) -> Void
    ) -> LoadProgress

    /// Loads an object from each item that one can be made of. It is for use while a drop is performed.
    ///
    /// - Parameter aClass: what is to be made of the bytes, on a thread of the library.
    /// - Returns: the objects that could be made, in the order of their items. Where an object could not be made of bytes
    ///   that have arrived, nothing is deleted at the source.
    /// - Throws: why the first could not be made, if none could although there are items for it; `cancelled` if the task is
    ///   cancelled.
    func loadObjects<T: ItemProviderReading>(ofClass aClass: T.Type) async throws(PasteboardError) -> sending [T]

    /// Keeps the drop window open until `body` has returned.
    ///
    /// It is for a `performDrop`, which is synchronous, and for a handler that first asks a person. While `body` runs, the
    /// broker waits for the first load up to its limit `session`: 10 minutes without a byte or progress.
    ///
    /// - Parameter body: runs at once, on the main actor. If it throws, the drop was not taken, and a move deletes nothing.
    func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void)
}

extension DropSession {
    /// Nil, for the mock sessions of a program's tests, which never end.
    public var outcome: Drag.Outcome? { nil }
}
