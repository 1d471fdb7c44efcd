import FoundationEssentials
import PasteboardWire

/// A load whose source has answered, so that its bytes can be taken in any form.
struct OpenedLoad: Sendable {
    let chunks: ByteChunks
    /// The representation's type.
    let type: UniformType
    /// Whether the representation is a folder and the bytes are a tar archive of it.
    let isArchive: Bool
    /// The source's own file, if it may be used instead of a copy.
    var inPlace: URL?
    /// The name of the source's file.
    var fileName: String?
    /// The attributes of the source's file: those in the item's list of representations, or the permissions of a file
    /// that its handler has returned.
    var file: FileAttributes?

    init(_ chunks: ByteChunks, type: UniformType, isArchive: Bool) {
        self.chunks = chunks
        self.type = type
        self.isArchive = isArchive
    }

    /// - Parameter expected: the requested type.
    init(_ chunks: ByteChunks, _ answer: Answer, expected: UniformType) {
        self.init(
            chunks,
            type: Loaded<ByteChunks>.type(of: answer, expected: expected),
            isArchive: answer.isArchive
        )
        fileName = answer.suggestedName
    }

    /// The type of the bytes: for a folder it is that of an archive.
    var dataType: UniformType { isArchive ? .tarArchive : type }
}
