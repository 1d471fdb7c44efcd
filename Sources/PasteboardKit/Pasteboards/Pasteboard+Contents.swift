import PasteboardWire

extension Pasteboard {
    /// What a pasteboard held at one moment.
    public struct Contents: Sendable {
        /// The number of these contents.
        public let changeCount: ChangeCount
        /// The items, in the writer's order. Their loads are bound to these contents: once these have been replaced, a new
        /// load fails with `superseded`, and never gives what came after.
        public let items: [PasteboardItem]
        /// The name of the program that wrote them, as it said itself: to be shown, not to be trusted.
        public let ownerLabel: String?

        init(_ listing: BoardListing, connection: PasteboardConnection, live: LiveConnection) {
            let contents = listing.contents
            changeCount = ChangeCount(value: contents.changeCount, epoch: contents.epoch)
            ownerLabel = contents.ownerLabel
            items = listing.items.enumerated().map { index, item in
                PasteboardItem(item, at: index, of: contents.handle ?? 0, connection: connection, live: live)
            }
        }
    }
}
