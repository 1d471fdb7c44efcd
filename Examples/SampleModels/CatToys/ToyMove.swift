/// A toy that changes its owner: the one place where the toys change.
public struct ToyMove: Sendable {
    /// The toy.
    public let toy: String

    /// Makes a move.
    public init(_ toy: String) {
        self.toy = toy
    }

    /// The toy leaves a cat of this process, with all that have its name, and comes to the end of another's.
    public func move(from origin: String, to target: String, in toys: inout CatToys) {
        leave(origin, in: &toys)
        arrive(at: target, in: &toys)
    }

    /// The toy comes to the end of a cat's.
    public func arrive(at cat: String, in toys: inout CatToys) {
        toys[cat].append(toy)
    }

    /// The toy leaves a cat, with all that have its name. A cat that nobody knows has none to leave.
    public func leave(_ cat: String, in toys: inout CatToys) {
        guard toys[cat].contains(toy) else { return }
        toys[cat].removeAll { $0 == toy }
    }
}
