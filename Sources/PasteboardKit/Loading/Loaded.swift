/// The result of a load: a value, and the type of the representation that it was made from.
///
/// A load of `UniformType.image` may return PNG or JPEG data; ``type`` is the actual type.
///
/// ```swift
/// let picture = try await item.loadData(for: .image)
/// try picture.value.write(to: folder.appending(path: "picture.\(picture.type.preferredFilenameExtension ?? "data")"))
/// ```
public struct Loaded<Value: Sendable>: Sendable {
    /// The loaded bytes: `Data` from `loadData`, ``ByteChunks`` from `loadBytes`, the file's `URL` from
    /// `withLoadedFile`.
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
