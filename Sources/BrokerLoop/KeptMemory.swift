import BrokerState
import PasteboardTransport
import PasteboardWire

/// The bytes that the broker keeps, each in a memory file that is sealed once it is complete.
struct KeptMemory {
    /// By slot; an error where the file could not be made.
    private var files: [Result<MemoryFile, SystemError>?] = []

    mutating func open(_ id: KeptID) {
        while self.files.count <= Int(id.slot) { self.files.append(nil) }
        self.files[Int(id.slot)] = Result { () throws(SystemError) in try MemoryFile() }
    }

    func append(_ bytes: Span<UInt8>, to id: KeptID) throws(SystemError) {
        try self.file(id)?.append(bytes)
    }

    /// A file that cannot be sealed is still only ours: nobody else can change it until it is handed out.
    func seal(_ id: KeptID) {
        try? self.file(id)?.seal()
    }

    mutating func close(_ id: KeptID) {
        guard Int(id.slot) < self.files.count else { return }
        self.files[Int(id.slot)] = nil
    }

    /// Puts one chunk as a data frame behind what `output` holds.
    func read(_ chunk: KeptChunk, into output: inout OutputBuffer) throws(SystemError) {
        guard let file = try self.file(chunk.kept) else { return }
        let flags: FrameFlags = chunk.last ? .last : .none
        try output.appendStream(upTo: chunk.count) { (room) throws(SystemError) in
            while !room.isFull {
                guard try file.read(at: chunk.offset + UInt64(room.count), into: &room) > 0 else {
                    throw SystemError(call: "pread", errno: 5, subject: "kept bytes end early")
                }
            }
            return FrameHeader(.data, stream: chunk.stream, length: chunk.count, flags: flags)
        }
    }

    private func file(_ id: KeptID) throws(SystemError) -> MemoryFile? {
        guard Int(id.slot) < self.files.count else { return nil }
        return try self.files[Int(id.slot)]?.get()
    }
}
