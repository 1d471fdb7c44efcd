import PasteboardWire

extension Pasteboard {
    /// The contents of a pasteboard at one moment.
    public struct Contents: Sendable {
        /// The change count of these contents.
        public let changeCount: ChangeCount
        /// The items, in the writer's order. Their loads are bound to these contents: after these have been replaced, a
        /// new load fails with `superseded` and never returns newer contents.
        public let items: [PasteboardItem]
        /// The name of the program that wrote the contents, as that program reported it. Display it, but do not trust
        /// it.
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
