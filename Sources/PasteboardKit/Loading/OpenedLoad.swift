import FoundationEssentials
import PasteboardWire

/// A load whose source has answered, so that its bytes can be taken in any form.
struct OpenedLoad: Sendable {
    /// The bytes. The load is cancelled when the reader is released.
    let reader: LoadReader
    /// The representation's type.
    let type: UniformType
    /// The source's own file, if it may be used instead of a copy.
    var inPlace: URL?
    /// The attributes of the source's file: those in the item's list of representations, or the permissions of a file
    /// that its handler has returned.
    var file: FileAttributes?

    /// The type of the bytes: for a folder it is that of an archive.
    var dataType: UniformType { reader.isArchive ? .tarArchive : type }
}

extension Answer {
    /// The type of the representation, after a request for one of the type `expected`.
    func type(expected: UniformType) -> UniformType {
        guard let type, type != expected.identifier else { return expected }
        return UniformType(importedAs: type)
    }

    /// The type of the bytes: for a folder it is that of an archive.
    func dataType(expected: UniformType) -> UniformType { isArchive ? .tarArchive : type(expected: expected) }
}
