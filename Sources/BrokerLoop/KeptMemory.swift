import BrokerState
import PasteboardTransport
import PasteboardWire

/// The bytes that the broker keeps, each in a memory file that is sealed once it is complete.
struct KeptMemory {
    /// To give back more than this takes time that the loop has not: pages are freed one by one.
    private static let closedAtOnce: UInt64 = 1 << 20

    private let closer: DescriptorCloser
    /// By slot. Nothing where no byte has come.
    private var files: [MemoryFile?] = []

    init(closer: DescriptorCloser) {
        self.closer = closer
    }

    mutating func append(_ bytes: Span<UInt8>, to id: KeptID) throws(SystemError) {
        guard !bytes.isEmpty else { return }
        if let file = self.file(id) { return try file.append(bytes) }
        let file = try MemoryFile()
        self.set(file, for: id)
        try file.append(bytes)
    }

    /// Takes over a file that a client has filled and sealed.
    mutating func adopt(_ descriptor: DescriptorBox?, for id: KeptID) {
        self.set(descriptor.flatMap(MemoryFile.init(sealed:)), for: id)
    }

    /// A file that cannot be sealed is still only ours: nobody else can change it until it is handed out.
    func seal(_ id: KeptID) {
        try? self.file(id)?.seal()
    }

    mutating func close(_ id: KeptID) {
        guard let file = self.file(id) else { return }
        self.files[Int(id.slot)] = nil
        if let size = try? file.size, size > Self.closedAtOnce { self.closer.release(file.descriptor) }
    }

    /// To be handed out.
    func descriptor(of id: KeptID) -> DescriptorBox? {
        self.file(id)?.descriptor
    }

    /// Puts one chunk as a data frame behind what `output` holds.
    func read(_ chunk: KeptChunk, into output: inout OutputBuffer) throws(SystemError) {
        let file = self.file(chunk.kept)
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
        Int(id.slot) < self.files.count ? self.files[Int(id.slot)] : nil
    }

    private mutating func set(_ file: MemoryFile?, for id: KeptID) {
        while self.files.count <= Int(id.slot) { self.files.append(nil) }
        self.files[Int(id.slot)] = file
    }
}
