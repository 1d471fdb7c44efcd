package import PasteboardWire

/// One board in one direction of a link: what the destination's broker shows of the contents at the source's broker.
/// Every item is promised at the destination, whatever its source has.
package struct LinkedBoard: Sendable {
    /// The contents that cross only if the user wants it.
    package struct Permits: Sendable {
        package var concealed = false
        package var transient = false

        package init() {}
    }

    package enum Step: Sendable {
        /// Writes contents to the destination, or adds to those that it shows.
        case write(Write, [Item], of: Source)
        case clear(Clear)
        /// Ends the publication at the destination.
        case withdraw
    }

    /// The publication at the source that answers the asks for one at the destination.
    package struct Source: Sendable, Equatable {
        /// An item, by its index there, with the types of its promises; one that has none is left out.
        package struct Item: Sendable, Equatable {
            package let index: UInt32
            package var types: [String]
        }

        package let handle: UInt64
        package private(set) var items: [Item] = []

        package init(handle: UInt64) { self.handle = handle }

        package mutating func append(_ item: PasteboardWire.Item, index: Int) {
            items.append(Item(index: UInt32(clamping: index), types: item.representations.map(\.type)))
        }

        /// Whether other contents are the same, perhaps with more items and types.
        fileprivate func isContained(in other: Source) -> Bool {
            handle == other.handle && other.items.map(\.index).starts(with: items.map(\.index))
                && zip(items, other.items).allSatisfy { Set($0.types).isSubset(of: $1.types) }
        }

        /// The source after an addition. The types of an item keep their order, which asks name.
        fileprivate func adding(_ other: Source) -> Source {
            var all = other
            for (index, item) in items.enumerated() {
                all.items[index].types = item.types + all.items[index].types.filter { !item.types.contains($0) }
            }
            return all
        }
    }

    /// Contents at the destination.
    private struct Shown {
        var source: Source
        /// The publication at the destination's broker; 0 while it is being written.
        var handle: UInt64 = 0
    }

    package let name: String
    private let permits: Permits
    /// The epoch of the destination's broker. Contents that have come through it do not return.
    private let destinationEpoch: UInt64
    private var shown: Shown?
    private var pending: Shown?

    package init(_ name: String, permits: Permits, to destination: Welcome) {
        self.name = name
        self.permits = permits
        destinationEpoch = destination.epoch ?? 0
    }

    /// Whether the destination shows contents of the source.
    package var isShown: Bool { shown != nil }

    /// - Returns: the steps after which the destination shows what it may show of the source's board.
    package mutating func listed(_ listing: BoardListing) -> [Step] {
        let contents = listing.contents
        guard let origin = contents.origin, !origin.path.contains(destinationEpoch) else { return withdrawing() }
        guard let handle = contents.handle else { return [.clear(clear(origin))] }
        guard permits.include(contents.terms) else { return withdrawing() }
        // The broker of the destination must not keep a secret, or serve more loads than the source permits.
        let isKept = contents.terms?.isConcealed != true && contents.terms?.maximumLoads == nil
        var (items, source): ([Item], Source) = ([], Source(handle: handle))
        for (index, item) in listing.items.enumerated() {
            let promised = item.promised(isKept: isKept)
            guard !promised.representations.isEmpty else { continue }
            items.append(promised)
            source.append(promised, index: index)
        }
        guard !items.isEmpty else { return withdrawing() }
        guard let shown, shown.source.isContained(in: source) else {
            // Contents of the same origin, of which promises were lost, would not replace each other.
            let steps = shown?.source.handle == handle ? withdrawing() : []
            pending = Shown(source: source)
            return steps + [.write(write(contents.terms, origin), items, of: source)]
        }
        return adding(items, of: source, to: shown)
    }

    /// Adds what the destination does not show yet.
    private mutating func adding(_ items: [Item], of source: Source, to shown: Shown) -> [Step] {
        var items = items
        for (index, item) in shown.source.items.enumerated() {
            items[index].representations.removeAll { item.types.contains($0.type) }
        }
        guard items.contains(where: { !$0.representations.isEmpty }) else { return [] }
        let all = shown.source.adding(source)
        pending = Shown(source: all, handle: shown.handle)
        var write = Write()
        write.handle = shown.handle
        write.requires = [Feature.additions.rawValue]
        return [.write(write, items, of: all)]
    }

    private func clear(_ origin: Origin) -> Clear {
        var clear = Clear()
        clear.board = name
        clear.origin = origin
        clear.requires = [Feature.links.rawValue]
        return clear
    }

    private func write(_ terms: ContentTerms?, _ origin: Origin) -> Write {
        var write = Write()
        write.board = name
        write.terms = terms
        write.origin = origin
        write.requires = [Feature.links.rawValue] + (terms == nil ? [] : [Feature.terms.rawValue])
        return write
    }

    /// Handles the answer to a write.
    ///
    /// - Parameter committed: nil if it was refused, usually because the contents of the destination are newer.
    package mutating func answered(_ committed: Committed?) -> [Step] {
        guard var written = exchange(&pending, with: nil) else { return [] }
        guard let committed else {
            // At the source, the earlier contents have been replaced.
            return written.source.handle == shown?.source.handle ? [] : withdrawing()
        }
        written.handle = committed.handle ?? written.handle
        shown = written
        return []
    }

    /// Records that the destination's broker no longer has the contents.
    package mutating func ended(_ handle: UInt64) {
        if shown?.handle == handle { shown = nil }
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
    /// The item as a link promises it to another broker. What its source makes only once crosses the link only once.
    ///
    /// - Parameter isKept: whether the destination's broker may keep bytes for further loads.
    func promised(isKept: Bool) -> Item {
        var item = self
        item.representations.removeAll { $0.provision == .gone }
        // It is for programs of its machine, and another one could forge it.
        item.teamData = nil
        for index in item.representations.indices {
            let isMadeOnce = item.representations[index].policy == .onceAndKept
            item.representations[index].policy = isMadeOnce && isKept ? .onceAndKept : nil
            item.representations[index].provision = .promised
            // The answer to the load has it.
            item.representations[index].content = nil
            // The source's broker ends a late load.
            item.representations[index].firstByteMilliseconds = nil
        }
        let hasCached = item.representations.contains { $0.policy == .onceAndKept }
        item.requires = hasCached ? [Feature.onceAndKept.rawValue] : []
        return item
    }
}
