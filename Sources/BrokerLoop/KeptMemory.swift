import BrokerState
import PasteboardTransport
import PasteboardWire

/// The bytes that the broker keeps, each representation in a memory file that is sealed when it is complete.
struct KeptMemory {
    /// Larger files are closed on another thread: the kernel releases pages one by one, which takes too long for the
    /// loop.
    private static let closedAtOnce: UInt64 = 1 << 20

    private let closer: DescriptorCloser
    /// The files by slot; nil before the first byte.
    private var files: [MemoryFile?] = []

    init(closer: DescriptorCloser) {
        self.closer = closer
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
    func seal(_ id: KeptID) {
        try? file(id)?.seal()
    }

    mutating func close(_ id: KeptID) {
        guard let file = file(id) else { return }
        files[Int(id.slot)] = nil
        if let size = try? file.size, size > Self.closedAtOnce { closer.release(file.descriptor) }
    }

    /// The descriptor to pass to a peer.
    func descriptor(of id: KeptID) -> DescriptorBox? {
        file(id)?.descriptor
    }

    /// Appends one chunk to `output` as a data frame.
    func read(_ chunk: KeptChunk, into output: inout OutputBuffer) throws(SystemError) {
        let file = file(chunk.kept)
        let flags: FrameFlags = chunk.last ? .last : .none
        try output.appendStream(upTo: chunk.count) { (room) throws(SystemError) in
            while !room.isFull {
                guard let file, try file.read(at: chunk.offset + UInt64(room.count), into: &room) > 0 else {
                    throw SystemError(call: "pread", errno: 5, subject: "kept bytes end early")
                }
            }
            return FrameHeader(.data, stream: chunk.stream, length: chunk.count, flags: flags)
        }
    }

    private func file(_ id: KeptID) -> MemoryFile? {
        Int(id.slot) < files.count ? files[Int(id.slot)] : nil
    }

    private mutating func set(_ file: MemoryFile?, for id: KeptID) {
        while files.count <= Int(id.slot) { files.append(nil) }
        files[Int(id.slot)] = file
    }
}
