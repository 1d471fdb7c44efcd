/// A toy that changes its owner. All changes of the toys are made here.
public struct ToyMove: Sendable {
    /// The toy.
    public let toy: String

    /// Makes a move.
    public init(_ toy: String) {
        self.toy = toy
    }

    /// Moves the toy between two cats of this process. All toys of the same name leave the origin, and one is added at
    /// the end of the target.
    public func move(from origin: String, to target: String, in toys: inout CatToys) {
        leave(origin, in: &toys)
        arrive(at: target, in: &toys)
    }

    /// Adds the toy after the other toys of a cat.
    public func arrive(at cat: String, in toys: inout CatToys) {
        toys[cat].append(toy)
    }

    /// Removes all toys of this name from a cat. An unknown cat has none.
    public func leave(_ cat: String, in toys: inout CatToys) {
        guard toys[cat].contains(toy) else { return }
        toys[cat].removeAll { $0 == toy }
    }
}
