/// One thing that is dragged: several of them are several items, several representations of one are in its provider.
public final class DragItem: Sendable {
    /// What the item is loaded from.
    public let itemProvider: ItemProvider

    /// Where the item is one of a session that began in this process: what it stands for.
    private let local: LocalItem?
    @MainActor private var ownObject: Any?

    /// Makes an item.
    public init(itemProvider: ItemProvider) {
        self.itemProvider = itemProvider
        local = nil
    }

    init(itemProvider: ItemProvider, local: LocalItem?) {
        self.itemProvider = itemProvider
        self.local = local
    }

    /// Whatever the source has attached, for destinations in its own process. It is never sent: to all others it is nil.
    ///
    /// A destination that reads it while a drop is performed has taken the item, without a load.
    @MainActor public var localObject: Any? {
        get {
            guard let local else { return ownObject }
            let object = local.item()?.localObject
            if object != nil { local.taken() }
            return object
        }
        set {
            if let local { local.item()?.localObject = newValue } else { ownObject = newValue }
        }
    }

    /// What the source has given, if the item is one of a session that began in this process; otherwise the item itself.
    @MainActor package var original: DragItem { local?.item() ?? self }

    /// A destination in its own process has it, without a load.
    package func take() {
        local?.taken()
    }

    /// The source's item, and who hears that a destination has taken it.
    struct LocalItem: Sendable {
        let item: @Sendable () -> DragItem?
        let taken: @Sendable () -> Void
    }
}
