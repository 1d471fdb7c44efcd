/// Which cat has which toys.
public struct CatToys: Sendable, Equatable {
    /// The cats, in the order of their tables.
    public let cats: [String]
    private var toys: [String: [String]]

    /// Makes the cats of this house.
    public init(
        cats: [String] = ["Tama", "Mike", "Kuro"],
        toys: [String: [String]] = [
            "Tama": ["ball", "mouse", "feather"], "Mike": ["bell", "string"], "Kuro": ["box"],
        ]
    ) {
        self.cats = cats
        self.toys = toys
    }

    /// The toys of a cat, in their order; none of a cat that nobody knows. Setting them makes a cat known.
    public subscript(cat: String) -> [String] {
        get { toys[cat] ?? [] }
        set { toys[cat] = newValue }
    }

    /// The toys of all cats, by name.
    public var names: Set<String> { Set(toys.values.joined()) }
}
