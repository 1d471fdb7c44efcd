import FoundationEssentials
import PasteboardWire

/// A load that has begun: what it gives is known, and the bytes can be taken in whichever form is wanted.
struct OpenedLoad: Sendable {
    let chunks: ByteChunks
    /// The representation's type.
    let type: UniformType
    /// Whether the bytes are a tar archive of the folder that the representation is.
    let isArchive: Bool
    /// The source's own file, where it may be used in place of a copy.
    var inPlace: URL?
    /// What the source's file is called.
    var fileName: String?
    /// The attributes of the file that the representation was listed as.
    var file: FileAttributes?

    init(_ chunks: ByteChunks, type: UniformType, isArchive: Bool) {
        self.chunks = chunks
        self.type = type
        self.isArchive = isArchive
    }

    /// - Parameter expected: the type asked for.
    init(_ chunks: ByteChunks, _ answer: Answer, expected: UniformType) {
        self.init(
            chunks,
            type: Loaded<ByteChunks>.type(of: answer, expected: expected),
            isArchive: answer.isArchive
        )
        fileName = answer.suggestedName
    }

    /// The type of the bytes themselves.
    var dataType: UniformType { isArchive ? .tarArchive : type }
}
