/// The result of a load that may return one of several types: a value, and the type of the representation that it was
/// made from.
///
/// ```swift
/// let picture = try await item.loadData(forFirstOf: [.png, .image])
/// try picture.value.write(to: folder.appending(path: "picture.\(picture.type.preferredFilenameExtension ?? "data")"))
/// ```
public struct Loaded<Value: Sendable>: Sendable {
    /// The loaded bytes, or the `URL` of the file with them.
    public let value: Value
    /// The type of ``value``: the requested type, or one that conforms to it.
    public let type: UniformType
    /// Whether the value is the source's own file, which may be read but not changed, and not a copy. It is always
    /// false for a value that is not a file.
    public let isInPlace: Bool

    init(value: Value, type: UniformType, isInPlace: Bool = false) {
        self.value = value
        self.type = type
        self.isInPlace = isInPlace
    }
}
