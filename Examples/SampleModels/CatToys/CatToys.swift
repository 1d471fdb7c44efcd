/// The toys of each cat.
public struct CatToys: Sendable, Equatable {
    /// The cats, in the order of their tables.
    public let cats: [String]
    private var toys: [String: [String]]

    /// Makes the default cats and toys.
    public init(
        cats: [String] = ["Tama", "Mike", "Kuro"],
        toys: [String: [String]] = [
            "Tama": ["ball", "mouse", "feather"], "Mike": ["bell", "string"], "Kuro": ["box"],
        ]
    ) {
        self.cats = cats
        self.toys = toys
    }

    /// The toys of a cat, in order; none for an unknown cat. Setting them adds an unknown cat.
    public subscript(cat: String) -> [String] {
        get { toys[cat] ?? [] }
        set { toys[cat] = newValue }
    }

    /// The toys of all cats, by name.
    public var names: Set<String> { Set(toys.values.joined()) }
}
