/// Leaves out one newline at the end of a sequence of pieces: a newline at a piece's end waits for the next piece.
struct NewlineTrimmer {
    private static let newline = UInt8(ascii: "\n")
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
