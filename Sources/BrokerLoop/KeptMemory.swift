import BrokerState
import PasteboardTransport
import PasteboardWire

/// The bytes that the broker keeps: a part of a file in memory for each representation.
///
/// While contents are saved, they are in files of the kept directory, which have no names before they are saved. Secret
/// bytes are always in anonymous files, which are overwritten before they are closed, and of which no other process
/// gets a descriptor.
struct KeptMemory {
    /// The bytes of one representation.
    struct Bytes {
        let file: MemoryFile
        /// Their start in the file.
        var offset: UInt64 = 0
        /// Whether nothing is written any more, so that the file may be passed to others.
        var isComplete = false
    }

    /// Larger files are closed on another thread: the kernel releases pages one by one, which takes too long for the
    /// loop.
    private static let closedAtOnce: UInt64 = 1 << 20
    /// The largest file of secret bytes that the loop overwrites and closes itself.
    private static let wipedAtOnce: UInt64 = 64 << 10
    private let closer: DescriptorCloser
    /// nil if nothing is saved.
    var directory: KeptDirectory?
    /// The bytes by slot; nil before the first one.
    private var stored: [Bytes?] = []
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
        let isSecret = concealed.contains(id.slot)
        var file = self[id]?.file
        if let directory, !isSecret, file?.isInDirectory ?? true {
            var stored: UInt64 = 0
            if directory.room >= UInt64(bytes.count) {
                do throws(SystemError) {
                    if file == nil { file = try directory.makeFile() }
                    self[id] = file.map { Bytes(file: $0) }
                    stored = try file?.size ?? 0
                    try file?.append(bytes)
                    return
                } catch {
                    guard error.shortage == .noSpace else { throw error }
                }
            } else {
                stored = try file?.size ?? 0
            }
            // There is no room, so the bytes are kept in memory alone, and are not saved. Behind those that were stored
            // there may be a part of the new ones.
            if let small = file { file = try small.anonymousCopy(of: stored) }
        }
        let memory = if let file { file } else { try MemoryFile() }
        self[id] = Bytes(file: memory)
        try memory.append(bytes)
    }

    /// Takes over a file that a client has filled and completed.
    mutating func adopt(_ descriptor: DescriptorBox?, for id: KeptID) {
        self[id] = descriptor.map { descriptor in
            let isInDirectory = !System.isFullySealed(descriptor.raw)
            return Bytes(file: MemoryFile(descriptor, isInDirectory: isInDirectory), isComplete: true)
        }
    }

    /// Completes a file, so that it can be passed to others. A failure is harmless: the bytes are sent then.
    mutating func complete(_ id: KeptID) {
        guard let bytes = self[id], !bytes.isComplete, let file = try? bytes.file.completed() else { return }
        self[id] = Bytes(file: file, offset: bytes.offset, isComplete: true)
    }

    mutating func close(_ id: KeptID) {
        let isConcealed = concealed.remove(id.slot) != nil
        guard let file = self[id]?.file else { return }
        self[id] = nil
        let limit = isConcealed ? Self.wipedAtOnce : Self.closedAtOnce
        guard let size = try? file.size, size > limit else {
            if isConcealed { try? file.wipe() }
            return
        }
        if isConcealed { closer.wipe(file) } else { closer.release(file.descriptor) }
    }

    /// Overwrites all secret bytes, because the broker ends.
    mutating func wipeConcealed() {
        for slot in concealed where Int(slot) < stored.count { try? stored[Int(slot)]?.file.wipe() }
    }

    /// Whether bytes are in a file of the kept directory.
    func isInDirectory(_ id: KeptID) -> Bool { self[id]?.file.isInDirectory ?? false }

    /// The file to pass to a peer; nil if the peer could change the bytes.
    ///
    /// - Parameter opensFiles: whether the peer could open the files of the kept directory itself. Whoever has one open
    ///   for reading can open it for writing.
    mutating func descriptor(of id: KeptID, opensFiles: Bool) -> DescriptorBox? {
        guard !concealed.contains(id.slot) else { return nil }
        complete(id)
        guard let bytes = self[id], bytes.isComplete, bytes.offset == 0 else { return nil }
        return !bytes.file.isInDirectory || opensFiles ? bytes.file.descriptor : nil
    }

    /// Appends one chunk to `output` as a data frame.
    func read(_ chunk: KeptChunk, into output: inout OutputBuffer) throws(SystemError) {
        let bytes = self[chunk.kept]
        try output.appendStream(upTo: chunk.count) { (room) throws(SystemError) in
            while !room.isFull {
                guard let bytes,
                    try bytes.file.read(at: bytes.offset + chunk.offset + UInt64(room.count), into: &room) > 0
                else { throw SystemError(call: "pread", errno: 5, subject: "kept bytes end early") }
            }
            return chunk.header
        }
    }

    /// The bytes of a representation; nil before the first one.
    subscript(id: KeptID) -> Bytes? {
        get { Int(id.slot) < stored.count ? stored[Int(id.slot)] : nil }
        set {
            while stored.count <= Int(id.slot) { stored.append(nil) }
            stored[Int(id.slot)] = newValue
        }
    }
}
