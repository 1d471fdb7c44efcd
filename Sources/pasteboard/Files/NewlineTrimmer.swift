import PasteboardTransport

/// Omits one newline at the end of a sequence of chunks: a newline at the end of a chunk waits for the next chunk.
struct NewlineTrimmer {
    fileprivate static let newline = UInt8(ascii: "\n")
    private var holdsNewline = false

    mutating func next(_ bytes: Span<UInt8>) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 1)
        if holdsNewline { output.append(Self.newline) }
        holdsNewline = bytes[bytes.count - 1] == Self.newline
        for index in 0..<bytes.count - (holdsNewline ? 1 : 0) { output.append(bytes[index]) }
        return output
    }
}

extension MemoryFile {
    func endsWithNewline(_ count: UInt64) throws(SystemError) -> Bool {
        guard count > 0 else { return false }
        return try System.bytes(of: descriptor.raw, from: count - 1, count: 1) == [NewlineTrimmer.newline]
    }
}
