import PasteboardWire

package typealias PublicationID = SlotTable<Publication>.ID

/// The items that one write made visible. Immutable, except that its writer may append items and representations.
///
/// A publication does not depend on the connection that wrote it. It is held by a board or a drag session, and by
/// loads, and is removed when nothing holds it.
package struct Publication: ~Copyable, Sendable {
    /// The writer's connection, and the stream that is notified of the publication's end; nil after the writer has
    /// disconnected or has withdrawn it.
    var owner: (peer: PeerID, stream: UInt64)?
    /// The writer's access context and label, which outlive its connection.
    let writer: AccessContext
    let ownerLabel: String
    /// Empty for the items of a drag session.
    let boardName: String
    private(set) var items: [StoredItem]
    /// The types of all representations, one after the other. The frames of a load are compared with them and written
    /// from them, because to read a string in an array of arrays counts its references.
    private(set) var typeNames: [UInt8] = []
    /// Set by `ContentStore.insert`; 0 before.
    var handle = EncodedHandle(0)
    private(set) var charge: Charge
    /// nil for most publications.
    var terms: PublicationTerms?
    /// The time of the commit.
    let committedAt: UInt64
    /// The number of additions, of losses of promises with their source, of reclaims, and of last permitted loads of an
    /// item that have failed.
    var version: UInt64 = 0
    /// Whether its writer has not come back since an earlier broker saved it. Then nobody was told of lost promises.
    var isAwaited = false
    /// Whether some representation is not visible to everybody.
    private(set) var isRestricted: Bool
    /// Whether everybody sees all of it and may load it. Only such contents are loaded in place.
    private(set) var isPlain: Bool
    /// Whether a board or a drag session holds it.
    var isCurrent = true
    /// Whether its writer has left it, or only loads hold it. Then its loads are counted in the writer's account.
    var isOrphan = false
    /// The drag session that holds it.
    var session: SessionID?
    /// The number of loads that hold it.
    var openLoads = 0

    var keptBytes: [KeptID] {
        items.flatMap { $0.representations.flatMap(\.allBytes) }
    }

    init(
        owner: (peer: PeerID, stream: UInt64)?,
        writer: AccessContext,
        ownerLabel: String,
        boardName: String,
        items: [StoredItem],
        charge: Charge,
        terms: PublicationTerms? = nil,
        committedAt: UInt64
    ) {
        self.owner = owner
        self.writer = writer
        self.ownerLabel = ownerLabel
        self.boardName = boardName
        self.items = items
        self.charge = charge
        self.terms = terms
        self.committedAt = committedAt
        isRestricted = Self.isRestricted(items)
        isPlain = !isRestricted && terms == nil
        // Exactly, because most contents never grow.
        typeNames.reserveCapacity(items.reduce(0) { $0 + $1.representations.reduce(0) { $0 + $1.type.utf8.count } })
        recordTypes(from: 0)
    }

    /// Records the types of the items from `first` on.
    private mutating func recordTypes(from first: Int) {
        for item in first..<items.count { recordTypes(of: item, from: 0) }
    }

    private mutating func recordTypes(of item: Int, from first: Int) {
        for index in first..<items[item].representations.count {
            let start = typeNames.count
            typeNames += items[item].representations[index].type.utf8
            items[item].representations[index].typeRange = start..<typeNames.count
        }
    }

    private static func isRestricted(_ items: [StoredItem]) -> Bool {
        items.contains { item in item.representations.contains { $0.visibility != .all } }
    }

    mutating func append(_ items: [StoredItem], charge: Charge) {
        let existing = self.items.count
        self.items += items
        recordTypes(from: existing)
        self.charge.absorb(charge)
        isRestricted = isRestricted || Self.isRestricted(items)
        isPlain = isPlain && !isRestricted
    }

    /// Replaces promises by bytes, and appends representations to the existing items, and further items.
    mutating func add(_ addition: Addition, charge: Charge) {
        for (part, bytes) in addition.handedOver { update(part) { $0.handOver(bytes) } }
        let existing = items.count
        for (index, item) in addition.items.prefix(existing).enumerated() where !item.representations.isEmpty {
            let first = items[index].representations.count
            items[index].append(item.representations)
            recordTypes(of: index, from: first)
        }
        append(Array(addition.items.dropFirst(existing)), charge: charge)
        isRestricted = isRestricted || Self.isRestricted(addition.items)
        isPlain = isPlain && !isRestricted
        version += 1
    }

    /// Changes one representation in place. `change` must keep the type. It may replace the whole representation, as a
    /// reclaim does, so the range of the type is stored again.
    mutating func update(_ part: PublicationPart, _ change: (inout StoredRepresentation) -> Void) {
        let (item, index) = (Int(part.item), Int(part.representation))
        let typeRange = items[item].representations[index].typeRange
        change(&items[item].representations[index])
        items[item].representations[index].typeRange = typeRange
    }

    /// The range of a representation's type in `typeNames`.
    @inline(__always)
    func typeRange(of part: PublicationPart) -> Range<Int> {
        items[Int(part.item)].representations[Int(part.representation)].typeRange
    }

    func representation(_ part: PublicationPart) -> StoredRepresentation {
        items[Int(part.item)].representations[Int(part.representation)]
    }

    /// Whether a source has to produce some of the bytes.
    var hasPromises: Bool {
        items.contains { item in item.representations.contains { $0.kept == nil } }
    }

    /// The name of the board or session that holds the items, for messages.
    var containerName: String { boardName.isEmpty ? "the session" : "pasteboard \(boardName)" }

    /// The indices of the items with a representation that `access` shows. A peer counts only these items.
    func visibleItems(to access: AccessContext) -> [Int] {
        let visibilities = access.visibilities(of: writer)
        return items.indices.filter { index in
            items[index].representations.contains { visibilities.contains($0.visibility) }
        }
    }

    /// The set of an item's representations that `access` shows, with one bit for each.
    func visibleRepresentations(of item: Int, to access: AccessContext) -> UInt64 {
        let visibilities = access.visibilities(of: writer)
        var visible: UInt64 = 0
        for (index, representation) in items[item].representations.enumerated()
        where visibilities.contains(representation.visibility) {
            visible |= 1 << UInt64(index)
        }
        return visible
    }

    func keptBytes(visibleTo access: AccessContext) -> [KeptID] {
        let visibilities = access.visibilities(of: writer)
        return items.flatMap { item in
            item.representations.compactMap { visibilities.contains($0.visibility) ? $0.kept ?? $0.cached : nil }
        }
    }

    func visibleTypes(of item: Int, to access: AccessContext) -> [String] {
        let visibilities = access.visibilities(of: writer)
        return items[item].representations.filter { visibilities.contains($0.visibility) }.map(\.type)
    }

    var ownerProcess: ProcessKey { writer.process }

    var ownerName: String { ownerProcess.name(label: ownerLabel) }
}

/// One representation of one item of a publication, by indices.
struct PublicationPart: BitwiseCopyable, Hashable {
    let item: UInt32
    let representation: UInt32
}
