import PasteboardClient
import PasteboardTransport
import TypeIdentifiers

/// An open file that a handler has given: its descriptor is handed over, or it is read where none is welcome.
struct SourceFile: Sendable {
    let descriptor: DescriptorBox
    let byteCount: UInt64
    /// Whether it is a tar archive of the folder that is meant.
    let isArchive: Bool
    /// What it is called, made harmless; nil for memory.
    let name: String?
    /// Where it lies, without symbolic links; nil for memory, and unless that was asked for.
    private(set) var path: String?

    init(descriptor: DescriptorBox, byteCount: UInt64, isArchive: Bool = false, name: String? = nil) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.isArchive = isArchive
        self.name = name.flatMap(SafeFileName.component)
    }

    init(_ memory: SharedMemory) {
        self.init(descriptor: memory.file.descriptor, byteCount: UInt64(memory.byteCount))
    }

    /// With where it lies now: asked of the system, so for those only who may use it there.
    var located: SourceFile {
        var located = self
        guard let path = try? System.linkTarget("/proc/self/fd/\(descriptor.raw)").text, path.hasPrefix("/"),
            !System.isFullySealed(descriptor.raw)
        else { return located }
        located.path = path
        return located
    }

    /// Its type by a name and by its first bytes; what cannot be read decides nothing.
    func type(named name: String) -> UniformType {
        let count = FileType.headLength(named: [name])
        let head = try? [UInt8](capacity: count) { (output) throws(SystemError) in
            _ = try System.read(descriptor.raw, at: 0, into: &output)
        }
        guard let head else { return .forFile(named: name) }
        return FileType(named: [name], head: head.span, isWhole: UInt64(head.count) == byteCount).type
    }

    /// As what it would be for another process.
    var passed: PassedFile {
        PassedFile(descriptor: descriptor, byteCount: byteCount, isImmutable: System.isFullySealed(descriptor.raw))
    }

    static func failure(_ text: String) -> PasteboardError {
        PasteboardError(
            .sourceFailed,
            message: text,
            sourceError: .init(
                domain: PasteboardError.domain,
                code: PasteboardError.itemUnavailable,
                message: text
            )
        )
    }
}
