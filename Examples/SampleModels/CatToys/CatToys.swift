/// The toys of each cat, and all changes of them by drops.
public struct CatToys: Sendable, Equatable {
    /// The cats, in the order of their tables.
    public static let cats = ["Tama", "Mike", "Kuro"]

    private var toys: [String: [String]]

    /// Makes the default toys.
    public init(
        toys: [String: [String]] = [
            "Tama": ["ball", "mouse", "feather"], "Mike": ["bell", "string"], "Kuro": ["box"],
        ]
    ) {
        self.toys = toys
    }

    /// The toys of a cat, in order; none for an unknown cat. Setting them adds an unknown cat.
    public subscript(cat: String) -> [String] {
        get { toys[cat] ?? [] }
        set { toys[cat] = newValue }
    }

    /// The toys of all cats, by name.
    public var names: Set<String> { Set(toys.values.joined()) }

    /// Moves a toy between two cats of this process. All toys of the same name leave the origin, and one is added at
    /// the end of the target.
    public mutating func move(_ toy: String, from origin: String, to target: String) {
        remove(toy, from: origin)
        add(toy, to: target)
    }

    /// Adds a toy after the other toys of a cat.
    public mutating func add(_ toy: String, to cat: String) {
        self[cat].append(toy)
    }

    /// Removes all toys of this name from a cat. An unknown cat has none.
    public mutating func remove(_ toy: String, from cat: String) {
        toys[cat]?.removeAll { $0 == toy }
    }
}
