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

    /// The publication of the source whose promises a publication at the destination is.
    package struct Source: Sendable, Equatable {
        package let handle: UInt64
        /// The index there of each item; one of which every promise was lost is left out.
        package let items: [UInt32]

        package init(handle: UInt64, items: [UInt32]) {
            (self.handle, self.items) = (handle, items)
        }
    }

    /// Contents at the destination.
    private struct Shown {
        let source: Source
        /// The publication at the destination's broker; 0 while it is being written.
        var handle: UInt64 = 0
        /// The types of each item.
        let types: [[String]]

        /// Whether other contents are the same, perhaps with more items and types.
        func isContained(in other: Shown) -> Bool {
            source.handle == other.source.handle && other.source.items.starts(with: source.items)
                && zip(types, other.types).allSatisfy { Set($0).isSubset(of: $1) }
        }
    }

    /// At most one request runs, so that its answer is never taken for that of another.
    private enum Phase {
        case idle
        /// A list, write or clear runs.
        case busy(isOutdated: Bool)
    }

    package let name: String
    private let permits: Permits
    /// The epoch of the destination's broker. Contents that have come through it do not return.
    private let destinationEpoch: UInt64
    private var phase = Phase.idle
    private var shown: Shown?
    private var pending: Shown?

    package init(_ name: String, permits: Permits, to destination: Welcome) {
        self.name = name
        self.permits = permits
        destinationEpoch = destination.epoch ?? 0
    }

    /// Whether the destination shows contents of the source.
    package var isShown: Bool { shown != nil }

    /// Lists the source's board, which has changed.
    package mutating func changed() -> [Step] {
        guard case .idle = phase else {
            phase = .busy(isOutdated: true)
            return []
        }
        phase = .busy(isOutdated: false)
        return [.list]
    }

    /// Shows the contents of the source again, after the destination's board became empty without a clear.
    package mutating func vacated() -> [Step] {
        isShown ? [] : changed()
    }

    /// The steps after a request: if the board has changed meanwhile, it is listed once more.
    private mutating func nextSteps() -> [Step] {
        guard case .busy(isOutdated: true) = exchange(&phase, with: .idle) else { return [.watch] }
        return changed()
    }

    package mutating func listed(_ listing: BoardListing) -> [Step] {
        let contents = listing.contents
        guard let origin = contents.origin, !origin.path.contains(destinationEpoch) else {
            return withdrawing() + nextSteps()
        }
        guard let handle = contents.handle else { return [.clear(clear(origin))] }
        guard permits.include(contents.terms) else { return withdrawing() + nextSteps() }
        // The broker of the destination must not keep a secret, or serve more loads than the source permits.
        let isKept = contents.terms?.isConcealed != true && contents.terms?.maximumLoads == nil
        let items = listing.items.enumerated().map {
            (UInt32($0.offset), $0.element.promised(isKept: isKept))
        }.filter { !$0.1.representations.isEmpty }
        guard !items.isEmpty else { return withdrawing() + nextSteps() }
        let next = Shown(
            source: Source(handle: handle, items: items.map(\.0)),
            types: items.map { $0.1.representations.map(\.type) }
        )
        guard let shown, shown.isContained(in: next) else {
            // Contents of the same origin, of which promises were lost, would not replace each other.
            let steps = shown?.source.handle == handle ? withdrawing() : []
            pending = next
            return steps + [.write(write(contents.terms, origin), items.map(\.1))]
        }
        guard shown.types != next.types else { return nextSteps() }
        return [add(items.map(\.1), to: shown, as: next)]
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

    private mutating func add(_ items: [Item], to shown: Shown, as next: Shown) -> Step {
        var items = items
        for index in shown.types.indices {
            items[index].representations.removeAll { shown.types[index].contains($0.type) }
        }
        pending = next
        pending?.handle = shown.handle
        var write = Write()
        write.handle = shown.handle
        write.requires = [Feature.additions.rawValue]
        return .write(write, items)
    }

    /// Handles a list that has failed.
    package mutating func failed() -> [Step] { nextSteps() }

    /// Handles the answer to a write or a clear.
    ///
    /// - Parameter committed: nil if it was refused, usually because the contents of the destination are newer.
    /// - Returns: the steps, and the publication that was written: its number at the destination, and its source.
    package mutating func answered(_ committed: Committed?) -> (steps: [Step], publication: (UInt64, Source)?) {
        guard var written = exchange(&pending, with: nil) else { return (nextSteps(), nil) }
        guard let committed else {
            // At the source, the earlier contents have been replaced.
            return ((written.source.handle == shown?.source.handle ? [] : withdrawing()) + nextSteps(), nil)
        }
        written.handle = committed.handle ?? written.handle
        shown = written
        return (nextSteps(), (written.handle, written.source))
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
        // It is for programs of its machine, and a broker of another machine may send any.
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
