/// One thing that is dragged. Its item provider has all of its representations; every other thing is a separate item.
public final class DragItem: Sendable, CustomStringConvertible {
    /// The item provider that loads the item.
    public let itemProvider: ItemProvider

    /// The source's item that this one represents, if the session began in this process.
    private let local: LocalItem?
    @MainActor private var ownObject: Any?

    /// The item provider.
    public var description: String { "DragItem(\(itemProvider))" }

    /// Makes an item.
    public init(itemProvider: ItemProvider) {
        self.itemProvider = itemProvider
        local = nil
    }

    init(itemProvider: ItemProvider, local: LocalItem?) {
        self.itemProvider = itemProvider
        self.local = local
    }

    /// A value that the source attached for destinations in the same process. It is never sent: in other processes it
    /// is nil.
    ///
    /// A destination that reads it while a drop is performed has taken the item, without a load.
    @MainActor public var localObject: Any? {
        get {
            guard let local else { return ownObject }
            let object = local.item?.localObject
            if object != nil { taken() }
            return object
        }
        set {
            if let local { local.item?.localObject = newValue } else { ownObject = newValue }
        }
    }

    /// The source's item, if the session began in this process; otherwise this item.
    @MainActor package var original: DragItem { local?.item ?? self }

    /// Records that a destination of this process has taken the item without a load.
    package func taken() {
        if let local { local.window.taken(UInt32(clamping: local.index)) }
    }

    /// The position of an item in a session of this process, and the window of the session's drop here.
    struct LocalItem: Sendable {
        let source: DragRequest
        let index: Int
        let window: DropWindow

        /// The source's item, also one of an addition whose answer was not handled yet.
        var item: DragItem? { source.item(at: index) }
    }
}
