public import FoundationEssentials

extension Data: ItemProviderReading {
    /// Whatever has bytes: `public.data`.
    public static var readableTypeIdentifiersForItemProvider: [String] { [UniformType.data.identifier] }

    /// The bytes as they are.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Data { data }
}
