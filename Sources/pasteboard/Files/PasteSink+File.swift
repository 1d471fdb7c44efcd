import PasteboardClient
import PasteboardTransport
import PasteboardWire

// Bytes that arrived as a descriptor: the kernel moves them, so they never enter the memory of this process.
extension PasteSink {
    /// The number of bytes moved at once; limited, so that a signal does not wait long.
    private static var moved: UInt64 { 16 << 20 }

    /// Writes all bytes of a file, on request without a newline at its end.
    ///
    /// - Parameter check: called repeatedly; an error that it throws ends the copy.
    func write(_ file: PassedFile, trimsNewline: Bool, check: () throws -> Void) throws {
        // The passed file may have lost permissions since it was listed. The mode of shared memory has no meaning.
        if !file.isImmutable, let status = try? System.status(of: file.descriptor.raw) {
            do { try narrow(to: status.mode) } catch { throw failure(error) }
        }
        let isTrimmed = trimsNewline ? try file.endsWithNewline() : false
        let end = isTrimmed ? file.byteCount - 1 : file.byteCount
        var offset: UInt64 = 0
        while let descriptor, offset < end {
            try check()
            let moved: MovedBytes
            do {
                moved = try System.sendFile(
                    file.descriptor.raw,
                    at: offset,
                    to: descriptor,
                    count: Int(clamping: min(Self.moved, end - offset))
                )
            } catch {
                throw failure(error)
            }
            switch moved {
            case .count(0): throw file.truncated(at: offset)
            case .count(let count): offset += UInt64(count)
            case .blocked: _ = try System.poll([PollInterest(descriptor, .writable)], milliseconds: nil)
            case .unsupported: return try copy(file, offset..<end, check)
            }
        }
        if self.descriptor == nil { try copy(file, 0..<end, check) }
    }

    private func copy(_ file: PassedFile, _ range: Range<UInt64>, _ check: () throws -> Void) throws {
        try file.forEachChunk(in: range) { chunk in
            try check()
            try write(chunk)
        }
    }
}
