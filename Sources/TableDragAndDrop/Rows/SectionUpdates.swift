/// The changes of whole sections in one batch. Deleted, reloaded and moved sections have their indexes from before the
/// batch, inserted sections their indexes from after it.
struct SectionUpdates: Equatable {
    private var inserted: Set<Int> = []
    private var deleted: Set<Int> = []
    private(set) var reloaded: Set<Int> = []
    /// The new index of each moved section, by its old index.
    private var moved: [Int: Int] = [:]

    mutating func insert(_ section: Int) {
        if !inserted.insert(section).inserted { endProgram("Section \(section) is inserted twice in one update.") }
    }

    mutating func delete(_ section: Int) {
        if !deleted.insert(section).inserted { endProgram("Section \(section) is deleted twice in one update.") }
    }

    mutating func reload(_ section: Int) {
        reloaded.insert(section)
    }

    mutating func move(_ section: Int, to destination: Int) {
        if moved.updateValue(destination, forKey: section) != nil {
            endProgram("Section \(section) is moved twice in one update.")
        }
    }

    /// The index of a section after the batch; nil if it is deleted.
    func index(after section: Int) -> Int? {
        if let destination = moved[section] { return destination }
        guard !deleted.contains(section) else { return nil }
        var index = section - (deleted.union(moved.keys).count { $0 < section })
        for arrival in inserted.union(moved.values).sorted() where arrival <= index { index += 1 }
        return index
    }

    /// The reason why these changes cannot lead from the one number of sections to the other; nil if they can.
    func contradiction(before: Int, after: Int) -> String? {
        for section in deleted.union(reloaded).union(moved.keys) where !(0..<before).contains(section) {
            return "Section \(section) is deleted, reloaded or moved; there were \(before) sections before the update."
        }
        for section in inserted.union(moved.values) where !(0..<after).contains(section) {
            return "Section \(section) is inserted; there are \(after) sections after the update."
        }
        guard deleted.isDisjoint(with: moved.keys),
            inserted.union(moved.values).count == inserted.count + moved.count
        else { return "A section is both moved and deleted, or two sections are at the same index after the update." }
        guard after == before + inserted.count - deleted.count else {
            return """
                There are \(after) sections after the update, and should be \(before + inserted.count - deleted.count): \
                \(before) sections before the update, \(inserted.count) inserted, \(deleted.count) deleted.
                """
        }
        return nil
    }
}
