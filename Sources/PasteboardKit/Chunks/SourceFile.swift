import PasteboardClient
import PasteboardTransport
import TypeIdentifiers

/// An open file that a handler has provided. Its descriptor is passed, or its bytes are read if the destination does
/// not accept descriptors.
struct SourceFile: Sendable {
    let descriptor: DescriptorBox
    let byteCount: UInt64
    /// Whether the representation is a folder and the file is a tar archive of it.
    let isArchive: Bool
    /// The name of the file, reduced to a safe one; nil for memory.
    let name: String?
    /// The path of the file without symbolic links. nil for memory, and unless `located` has determined it.
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

    /// The file with its present path. The path costs a system call, so it is determined only for destinations that may
    /// use the file in place.
    var located: SourceFile {
        var located = self
        guard let path = try? System.linkTarget("/proc/self/fd/\(descriptor.raw)").text, path.hasPrefix("/"),
            !System.isFullySealed(descriptor.raw)
        else { return located }
        located.path = path
        return located
    }

    /// Determines the type from a name and the first bytes. A file that cannot be read gets the type of its name.
    func type(named name: String) -> UniformType {
        let count = FileType.headLength(named: [name])
        let head = try? [UInt8](capacity: count) { (output) throws(SystemError) in
            _ = try System.read(descriptor.raw, at: 0, into: &output)
        }
        guard let head else { return .forFile(named: name) }
        return FileType(named: [name], head: head.span, isWhole: UInt64(head.count) == byteCount).type
    }

    /// The file as another process would receive it.
    var passed: PassedFile {
        PassedFile(descriptor: descriptor, byteCount: byteCount, isImmutable: System.isFullySealed(descriptor.raw))
    }
}
