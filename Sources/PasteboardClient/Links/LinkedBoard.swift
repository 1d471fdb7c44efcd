package import PasteboardWire

/// One board in one direction of a link: what the destination's broker shows of the contents at the source's broker.
///
/// Every item is promised at the destination, whatever its source has. A change is reported only after the one before
/// was written, so a storm of changes is written as fast as the destination takes them, and nothing is stored.
package struct LinkedBoard: Sendable {
    /// The contents that cross only if the user wants it.
    package struct Permits: Sendable {
        package var concealed = false
        package var transient = false

        package init() {}
    }

    package enum Step: Sendable {
        /// Lets the source's broker report the next change.
        case watch
        /// Lists the source's board.
        case list
        case write(Write, [Item])
        case clear(Clear)
        /// Ends the publication at the destination.
        case withdraw
    }

    /// Contents at the destination.
    private struct Shown {
        /// The publication at the source's broker.
        let source: UInt64
        /// The publication at the destination's broker; 0 while it is being written.
        var handle: UInt64 = 0
        /// The types of each item.
        var types: [[String]]

        /// Whether other types are the same or more.
        func isContained(in others: [[String]]) -> Bool {
            types.count <= others.count && zip(types, others).allSatisfy { Set($0).isSubset(of: $1) }
        }
    }

    package let board: String
    private let permits: Permits
    /// The epoch of the destination's broker. Contents that have come through it do not return.
    private let destination: UInt64
    /// The time in which the source's broker expects the first byte of a promise, in milliseconds.
    private let firstByte: UInt64?
    private var shown: Shown?
    private var pending: Shown?

    package init(_ board: String, permits: Permits, from source: Welcome, to destination: Welcome) {
        self.board = board
        self.permits = permits
        self.destination = destination.epoch ?? 0
        firstByte = source.firstByteMilliseconds
    }

    /// Whether the destination shows contents of the source.
    package var isShown: Bool { shown != nil }

    /// Handles a change of the source's board.
    package mutating func changed(_ change: Change) -> [Step] {
        if change.handle != nil { return [.list] }
        // Without an origin nobody has cleared the board: its source has ended, or its time was over.
        guard let origin = change.origin else { return withdrawing() + [.watch] }
        guard !origin.path.contains(destination) else { return [.watch] }
        var clear = Clear()
        clear.board = board
        clear.origin = origin
        clear.requires = [Feature.links.rawValue]
        return [.clear(clear)]
    }

    package mutating func listed(_ listing: BoardListing) -> [Step] {
        let contents = listing.contents
        guard let source = contents.handle, let origin = contents.origin, !origin.path.contains(destination),
            permits.include(contents.terms)
        else { return withdrawing() + [.watch] }
        let isConcealed = contents.terms?.isConcealed == true
        var items = listing.items.map { $0.promised(firstByte: firstByte, isConcealed: isConcealed) }
        let types = items.map { $0.representations.map(\.type) }
        var steps: [Step] = []
        var write = Write()
        if let shown, shown.source == source, shown.isContained(in: types) {
            guard shown.types != types else { return [.watch] }
            for index in items.indices where index < shown.types.count {
                items[index].representations.removeAll { shown.types[index].contains($0.type) }
            }
            pending = Shown(source: source, handle: shown.handle, types: types)
            write.handle = shown.handle
            write.requires = [Feature.additions.rawValue]
        } else {
            // Contents of the same origin, of which promises were lost, would not replace each other.
            if shown?.source == source { steps = withdrawing() }
            guard types.contains(where: { !$0.isEmpty }) else { return steps + withdrawing() + [.watch] }
            pending = Shown(source: source, types: types)
            write.board = board
            write.terms = contents.terms
            write.origin = origin
            write.requires = [Feature.links.rawValue] + (contents.terms == nil ? [] : [Feature.terms.rawValue])
        }
        return steps + [.write(write, items)]
    }

    /// Handles the answer to a write or a clear.
    ///
    /// - Parameter committed: nil if it has refused it, usually because its contents are newer.
    /// - Returns: the steps, and the publication that was written as a pair of numbers: at the destination and at the
    ///   source.
    package mutating func answered(_ committed: Committed?) -> (steps: [Step], publication: (UInt64, UInt64)?) {
        guard var written = exchange(&pending, with: nil) else { return ([.watch], nil) }
        guard let committed else {
            // What was written before has been replaced at the source.
            return ((written.source == shown?.source ? [] : withdrawing()) + [.watch], nil)
        }
        written.handle = committed.handle ?? written.handle
        shown = written
        return ([.watch], (written.handle, written.source))
    }

    /// Notes that the destination's broker no longer has the contents.
    package mutating func ended(_ handle: UInt64) {
        if shown?.handle == handle { shown = nil }
    }

    /// Shows the contents of the source again, after the destination's board became empty without a clear.
    package mutating func vacated() -> [Step] {
        isShown || pending != nil ? [] : [.list]
    }

    private mutating func withdrawing() -> [Step] {
        exchange(&shown, with: nil) == nil ? [] : [.withdraw]
    }
}

extension LinkedBoard.Permits {
    fileprivate func include(_ terms: ContentTerms?) -> Bool {
        (concealed || terms?.isConcealed != true) && (transient || terms?.isTransient != true)
    }
}

extension Item {
    /// The time by which the destination's broker waits longer than the source's, in milliseconds.
    private static let margin: UInt64 = 5_000

    /// The item as a link promises it to another broker. What its source makes only once crosses the link only once.
    ///
    /// - Parameters:
    ///   - firstByte: the time in which the source's broker expects the first byte, in milliseconds.
    ///   - isConcealed: whether the destination's broker must not keep bytes.
    func promised(firstByte: UInt64?, isConcealed: Bool) -> Item {
        var item = self
        item.representations.removeAll { $0.provision == .gone }
        for index in item.representations.indices {
            let representation = item.representations[index]
            let isMadeOnce = representation.provision == .kept || representation.policy == .onceAndKept
            item.representations[index].policy = isMadeOnce && !isConcealed ? .onceAndKept : nil
            item.representations[index].provision = .promised
            // The answer to the load has it.
            item.representations[index].content = nil
            // The source's broker ends a late load first, and knows why it is late.
            let limit = (representation.firstByteMilliseconds ?? firstByte ?? 30_000).addingClamped(Self.margin)
            item.representations[index].firstByteMilliseconds = min(limit, 600_000)
        }
        let hasCached = item.representations.contains { $0.policy == .onceAndKept }
        item.requires = hasCached ? [Feature.onceAndKept.rawValue] : []
        return item
    }
}
