import BrokerState
import PasteboardTransport
import PasteboardWire

/// The bytes that the broker keeps, each representation in a memory file that is sealed when it is complete.
///
/// The files of secret bytes are not sealed, because they are overwritten before they are closed. No other process gets
/// their descriptors.
struct KeptMemory {
    /// Larger files are closed on another thread: the kernel releases pages one by one, which takes too long for the
    /// loop.
    private static let closedAtOnce: UInt64 = 1 << 20
    /// The largest file of secret bytes that the loop overwrites and closes itself.
    private static let wipedAtOnce: UInt64 = 64 << 10

    private let closer: DescriptorCloser
    /// The files by slot; nil before the first byte.
    private var files: [MemoryFile?] = []
    /// The slots of complete files that could not be sealed.
    private var unsealed: [UInt32] = []
    /// The slots of secret bytes.
    private var concealed: Set<UInt32> = []

    init(closer: DescriptorCloser) {
        self.closer = closer
    }

    /// Bytes that are stored from now on are secret.
    mutating func conceal(_ id: KeptID) {
        concealed.insert(id.slot)
    }

    mutating func append(_ bytes: Span<UInt8>, to id: KeptID) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        if let file = file(id) { return try file.append(bytes) }
        let file = try MemoryFile()
        set(file, for: id)
        try file.append(bytes)
    }

    /// Takes over a file that a client has filled and sealed.
    mutating func adopt(_ descriptor: DescriptorBox?, for id: KeptID) {
        set(descriptor.flatMap(MemoryFile.init(sealed:)), for: id)
    }

    /// Seals a file. A failure is harmless until the file is passed to a peer: no other process has its descriptor.
    mutating func seal(_ id: KeptID) {
        guard let file = file(id) else { return }
        do throws(SystemError) {
            try file.seal()
        } catch {
            // A file that a client has sealed cannot be sealed again.
            if !System.isFullySealed(file.descriptor.raw) { unsealed.append(id.slot) }
        }
    }

    mutating func close(_ id: KeptID) {
        let isConcealed = concealed.remove(id.slot) != nil
        guard let file = file(id) else { return }
        files[Int(id.slot)] = nil
        unsealed.removeAll { $0 == id.slot }
        let limit = isConcealed ? Self.wipedAtOnce : Self.closedAtOnce
        guard let size = try? file.size, size > limit else {
            if isConcealed { try? file.wipe() }
            return
        }
        if isConcealed { closer.wipe(file) } else { closer.release(file.descriptor) }
    }

    /// Overwrites all secret bytes, because the broker ends.
    mutating func wipeConcealed() {
        for slot in concealed where Int(slot) < files.count { try? files[Int(slot)]?.wipe() }
    }

    /// The descriptor to pass to a peer; nil if the file cannot be sealed, because the peer could change the bytes.
    mutating func descriptor(of id: KeptID) -> DescriptorBox? {
        if unsealed.contains(id.slot) {
            unsealed.removeAll { $0 == id.slot }
            seal(id)
        }
        return unsealed.contains(id.slot) ? nil : file(id)?.descriptor
    }

    /// The file of bytes, sealed or not, for a successor of this broker; nil before the first byte.
    func saved(_ id: KeptID) -> DescriptorBox? { file(id)?.descriptor }

    /// Appends one chunk to `output` as a data frame.
    func read(_ chunk: KeptChunk, into output: inout OutputBuffer) throws(SystemError) {
        let file = file(chunk.kept)
        try output.appendStream(upTo: chunk.count) { (room) throws(SystemError) in
            while !room.isFull {
                guard let file, try file.read(at: chunk.offset + UInt64(room.count), into: &room) > 0 else {
                    throw SystemError(call: "pread", errno: 5, subject: "kept bytes end early")
                }
            }
            return chunk.header
        }
    }

    private func file(_ id: KeptID) -> MemoryFile? {
        Int(id.slot) < files.count ? files[Int(id.slot)] : nil
    }

    mutating func set(_ file: MemoryFile?, for id: KeptID) {
        while files.count <= Int(id.slot) { files.append(nil) }
        files[Int(id.slot)] = file
    }
}
