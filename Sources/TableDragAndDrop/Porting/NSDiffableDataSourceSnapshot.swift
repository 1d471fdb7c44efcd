/// The sections and items that a diffable data source shows.
///
/// Identifiers are unique: an item that is added again is moved, as in UIKit. To add items beside one that is not there
/// is a mistake in the program, and ends it.
public struct NSDiffableDataSourceSnapshot<Section: Hashable, Item: Hashable> {
    /// The sections, in order.
    public private(set) var sectionIdentifiers: [Section] = []
    private var items: [Section: [Item]] = [:]
    /// The items whose contents are to be shown again.
    public private(set) var reloadedItemIdentifiers: [Item] = []

    /// Makes an empty snapshot.
    public init() {}

    /// The items of all sections, in order.
    public var itemIdentifiers: [Item] { sectionIdentifiers.flatMap(itemIdentifiers(inSection:)) }
    /// The number of all items.
    public var numberOfItems: Int { itemIdentifiers.count }
    /// The number of sections.
    public var numberOfSections: Int { sectionIdentifiers.count }
    /// Returns the items of a section, in order.
    public func itemIdentifiers(inSection section: Section) -> [Item] { items[section] ?? [] }
    /// Returns the number of items of a section.
    public func numberOfItems(inSection section: Section) -> Int { itemIdentifiers(inSection: section).count }
    /// Returns the index of an item among all items.
    public func indexOfItem(_ item: Item) -> Int? { itemIdentifiers.firstIndex(of: item) }
    /// Returns the index of a section.
    public func indexOfSection(_ section: Section) -> Int? { sectionIdentifiers.firstIndex(of: section) }
    /// Returns the section of an item.
    public func sectionIdentifier(containingItem item: Item) -> Section? {
        sectionIdentifiers.first { itemIdentifiers(inSection: $0).contains(item) }
    }

    /// Adds sections without items at the end.
    public mutating func appendSections(_ sections: [Section]) { insert(sections, sectionIdentifiers.count) }
    /// Inserts sections without items before another one.
    public mutating func insertSections(_ sections: [Section], beforeSection section: Section) {
        insert(sections, indexOfSection(section) ?? sectionIdentifiers.count)
    }
    /// Inserts sections without items after another one.
    public mutating func insertSections(_ sections: [Section], afterSection section: Section) {
        insert(sections, indexOfSection(section).map { $0 + 1 } ?? sectionIdentifiers.count)
    }
    /// Records that the contents of all items of sections were replaced.
    public mutating func reloadSections(_ sections: [Section]) {
        reloadItems(sections.flatMap(itemIdentifiers(inSection:)))
    }
    /// Adds items at the end of a section; nil is the last section.
    public mutating func appendItems(_ new: [Item], toSection section: Section? = nil) {
        guard let section = section ?? sectionIdentifiers.last, sectionIdentifiers.contains(section) else {
            endProgram("There is no such section to append items to.")
        }
        deleteItems(new)
        insert(new, section, itemIdentifiers(inSection: section).count)
    }
    /// Inserts items before another one.
    public mutating func insertItems(_ new: [Item], beforeItem item: Item) { insert(new, beside: item, 0) }
    /// Inserts items after another one.
    public mutating func insertItems(_ new: [Item], afterItem item: Item) { insert(new, beside: item, 1) }
    /// Moves an item to before another one.
    public mutating func moveItem(_ moved: Item, beforeItem item: Item) { move(moved, beside: item, 0) }
    /// Moves an item to after another one.
    public mutating func moveItem(_ moved: Item, afterItem item: Item) { move(moved, beside: item, 1) }
    /// Deletes items.
    public mutating func deleteItems(_ old: [Item]) {
        let old = Set(old)
        items = items.mapValues { $0.filter { !old.contains($0) } }
    }
    /// Deletes all items and sections.
    public mutating func deleteAllItems() { self = Self() }
    /// Deletes sections and their items.
    public mutating func deleteSections(_ sections: [Section]) {
        sectionIdentifiers.removeAll(where: sections.contains)
        for section in sections { items[section] = nil }
    }
    /// Records that the contents of items were replaced.
    public mutating func reloadItems(_ items: [Item]) { reloadedItemIdentifiers += items }
    /// Records that the contents of items were changed. Their cells are made when they are asked for.
    public mutating func reconfigureItems(_ items: [Item]) {}

    /// The replaced contents are shown now.
    mutating func forgetReloads() { reloadedItemIdentifiers = [] }

    private mutating func insert(_ sections: [Section], _ index: Int) {
        var known = Set(sectionIdentifiers)
        sectionIdentifiers.insert(contentsOf: sections.filter { known.insert($0).inserted }, at: index)
    }

    private mutating func move(_ moved: Item, beside item: Item, _ offset: Int) {
        guard moved != item else { return }
        deleteItems([moved])
        insert([moved], beside: item, offset)
    }

    private mutating func insert(_ new: [Item], beside item: Item, _ offset: Int) {
        deleteItems(new.filter { $0 != item })
        guard let section = sectionIdentifier(containingItem: item),
            let index = itemIdentifiers(inSection: section).firstIndex(of: item)
        else { endProgram("There is no item \(item) in the snapshot.") }
        insert(new, section, index + offset)
    }

    private mutating func insert(_ new: [Item], _ section: Section, _ index: Int) {
        items[section, default: []].insert(contentsOf: new, at: index)
    }
}

extension NSDiffableDataSourceSnapshot: Sendable where Section: Sendable, Item: Sendable {}
