import PasteboardWire
import TypeIdentifiers

/// The effect of a write on contents to which it is added, found before anything changes.
struct Addition {
    /// The items of the write, without the representations that are not appended.
    private(set) var items: [StoredItem]
    /// The bytes that take the place of promises.
    private(set) var handedOver: [(part: PublicationPart, bytes: KeptID)] = []
    /// Bytes for representations that the broker keeps already.
    private(set) var discarded: [KeptID] = []
    /// The part of the write's charge for what is not appended. Without its release, repeated additions of the same
    /// would grow the charge of the contents.
    private(set) var surplus = Accounting.Amount()

    /// - Parameters:
    ///   - items: the items of the write.
    ///   - metadata: the bytes of names and types that each item is charged.
    ///   - existing: the items of the contents.
    ///   - keepsPromises: whether kept representations may take the place of promises.
    init(_ items: [StoredItem], metadata: [UInt64], to existing: [StoredItem], keepsPromises: Bool) throws(Failure) {
        self.items = items
        for index in items.indices.prefix(existing.count) {
            let names = try merge(index, into: existing[index], keepsPromises: keepsPromises)
            let merged = items[index].representations.count - self.items[index].representations.count
            surplus.objects += UInt64(merged)
            surplus.metadata += names
            guard self.items[index].representations.isEmpty else { continue }
            // The item only stands for one that exists.
            surplus.objects += 1
            surplus.metadata += metadata[index] - min(metadata[index], names)
        }
        let isEmpty = items.count <= existing.count && self.items.allSatisfy(\.representations.isEmpty)
        // The write itself is an object, too.
        if isEmpty { surplus.objects += 1 }
    }

    /// Removes the representations of an item that are not appended.
    ///
    /// - Returns: the bytes of their types and supertypes.
    private mutating func merge(
        _ index: Int,
        into existing: StoredItem,
        keepsPromises: Bool
    ) throws(Failure) -> UInt64 {
        let added = items[index].representations
        guard !added.isEmpty else { return 0 }
        var places: [IdentifierKey: Int] = [:]
        for (place, old) in existing.representations.enumerated() { places[IdentifierKey(old.type)] = place }
        var appended: [StoredRepresentation] = []
        var names: UInt64 = 0
        for representation in added {
            guard let place = places[IdentifierKey(representation.type)] else {
                appended.append(representation)
                continue
            }
            guard keepsPromises, let bytes = representation.kept else {
                throw Failure(.invalidArgument, "item \(index + 1) has \(representation.type) already")
            }
            names += UInt64(representation.nameByteCount)
            if existing.representations[place].kept == nil {
                let part = PublicationPart(item: UInt32(clamping: index), representation: UInt32(clamping: place))
                handedOver.append((part, bytes))
            } else {
                discarded.append(bytes)
            }
        }
        let count = existing.representations.count + appended.count
        guard count <= WireLimits.representations else {
            throw Failure(
                .limitExceeded,
                "item \(index + 1) would have \(count) representations; at most \(WireLimits.representations) are allowed"
            )
        }
        items[index].representations = appended
        return names
    }
}

extension StoredRepresentation {
    fileprivate var nameByteCount: Int { supertypes.reduce(type.utf8.count) { $0 + $1.utf8.count } }
}
