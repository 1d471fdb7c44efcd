import PasteboardWire

/// Contents of a board, as reported to their writer.
struct WalkedContents: Equatable {
    struct Part: Equatable {
        let type: String
        /// The bytes that the broker keeps; nil for a promise.
        var bytes: [UInt8]?
        /// Whether the broker keeps the bytes of the first load.
        var isKeptOnce = false
    }

    var changeCount: UInt64 = 0
    var epoch: UInt64 = 0
    var items: [[Part]]
    var terms: ContentTerms?
    /// The time of the broker at which they expire.
    var expiresAt: UInt64?
    /// The number of the client that has written them.
    let writer: Int
    /// Whether the writer is connected, and has not lost them.
    var hasSource = true
    var handle: UInt64 = 0

    var isKept: Bool { items.contains { $0.contains { $0.bytes != nil } } }
    var isConcealed: Bool { terms?.isConcealed == true }
    var isLimited: Bool { terms?.maximumLoads != nil }
    /// Whether they outlive their broker.
    var isSaved: Bool { isKept && !isConcealed && !isLimited }
    var keptParts: Int { items.reduce(0) { $0 + $1.count { $0.bytes != nil } } }
    var types: [[String]] { items.map { $0.map(\.type) } }

    /// The contents after the death of their broker; nil if they end with it.
    ///
    /// - Parameter now: the time at which the next broker starts.
    func restored(at now: UInt64) -> WalkedContents? {
        guard isSaved, expiresAt.map({ $0 > now }) ?? true else { return nil }
        var restored = self
        restored.hasSource = false
        return restored
    }

    func isCounted(as other: WalkedContents) -> Bool {
        changeCount == other.changeCount && epoch == other.epoch
    }

    /// The items as a writer sends them.
    var messages: [Item] {
        items.map { parts in
            var item = Item(
                parts.map { part in
                    var representation = Representation(part.type, kept: part.bytes != nil)
                    if part.bytes == nil, part.isKeptOnce { representation.policy = .onceAndKept }
                    return representation
                }
            )
            item.requires = [Feature.onceAndKept.rawValue]
            return item
        }
    }

    /// The kept bytes in the order of the representations.
    var bytes: [[UInt8]] { items.flatMap { $0.compactMap(\.bytes) } }

    var shown: ShownContents {
        ShownContents(
            changeCount: changeCount,
            epoch: epoch,
            items: items.map { parts in
                parts.map { part in
                    let provision: Provision = part.bytes != nil ? .kept : hasSource ? .promised : .gone
                    let bytes = isLimited ? nil : part.bytes
                    return ShownContents.Part(
                        type: part.type,
                        provision: provision,
                        byteCount: isConcealed ? nil : part.bytes?.count,
                        bytes: bytes
                    )
                }
            }
        )
    }
}
