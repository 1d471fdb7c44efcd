import PasteboardWire

/// A load's result with the type that the source really gave.
public struct Loaded<Value: Sendable>: Sendable {
    /// What was loaded.
    public let value: Value
    /// The type of it: the one asked for, or one that conforms to it.
    public let type: UniformType
    /// Of files only: whether this is the source's own file, to be read and not changed, rather than a copy.
    public let isInPlace: Bool

    init(value: Value, type: UniformType, isInPlace: Bool = false) {
        self.value = value
        self.type = type
        self.isInPlace = isInPlace
    }

    /// The type of the bytes themselves: of a folder they are an archive.
    static func dataType(of answer: Answer, expected: UniformType) -> UniformType {
        answer.isArchive ? .tarArchive : type(of: answer, expected: expected)
    }

    static func type(of answer: Answer, expected: UniformType) -> UniformType {
        guard let type = answer.type, type != expected.identifier else { return expected }
        return UniformType(importedAs: type)
    }
}
