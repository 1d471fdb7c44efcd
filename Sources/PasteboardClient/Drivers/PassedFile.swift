package import PasteboardTransport
package import PasteboardWire

/// The bytes of a load that arrived as a descriptor.
///
/// Any process may have passed it. Unless all four seals are set, the file can change and shrink at any time, so it is
/// read and never mapped.
package struct PassedFile: Sendable {
    /// The number of bytes that one system call copies; limited, so that a signal or cancellation does not wait long.
    private static let copied: UInt64 = 16 << 20

    /// The size from which holes are preserved. For smaller files they are not worth the system calls.
    private static let smallest: UInt64 = 64 << 10

    package let descriptor: DescriptorBox
    package let byteCount: UInt64
    /// Whether all four seals are set, so that the bytes may be mapped.
    package let isImmutable: Bool

    package init(descriptor: DescriptorBox, byteCount: UInt64, isImmutable: Bool) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.isImmutable = isImmutable
    }

    /// Checks the received descriptor. This may take as long as its file system takes to answer.
    package init(_ descriptor: DescriptorBox, _ answer: Answer) throws(Failure) {
        self.descriptor = descriptor
        byteCount = answer.byteCount ?? 0
        isImmutable = System.isFullySealed(descriptor.raw)
        let status: FileStatus
        do {
            status = try System.status(of: descriptor.raw)
        } catch {
            throw Failure(.sourceFailed, "the source passed a file that cannot be inspected: \(error.reason)")
        }
        guard status.kind == .regular else {
            throw Failure(.sourceFailed, "the source passed a \(status.kind) instead of a file")
        }
        guard status.size >= byteCount else { throw truncated(at: status.size) }
    }

    /// Reads bytes from `offset` into the free room of `output`: at least one byte, unless there is no room or the file
    /// ends.
    package func read(at offset: UInt64, into output: inout OutputSpan<UInt8>) throws(Failure) {
        do {
            guard try System.read(descriptor.raw, at: offset, into: &output) == 0, !output.isFull else { return }
        } catch {
            throw Failure(.sourceFailed, "the file that the source passed cannot be read: \(error.reason)")
        }
        throw truncated(at: offset)
    }

    /// Lends the bytes of `range`, or all bytes, chunk by chunk.
    package func forEachChunk(in range: Range<UInt64>? = nil, _ body: (Span<UInt8>) throws -> Void) throws {
        let range = range ?? 0..<byteCount
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(clamping: min(UInt64(WireLimits.dataLength), range.upperBound - offset))
            let chunk = try [UInt8](capacity: count) { (output) throws(Failure) in
                try read(at: offset, into: &output)
            }
            try body(chunk.span)
            offset += UInt64(chunk.count)
        }
    }

    /// Copies all bytes to a file, inside the kernel if possible, so that they do not enter the memory of this process.
    ///
    /// - Parameters:
    ///   - output: the descriptor of the file; nil if each byte has to be inspected.
    ///   - check: called repeatedly with the number of bytes copied so far; an error that it throws ends the copy.
    ///   - write: writes bytes that the kernel cannot copy.
    package func copy(
        to output: CInt?,
        check: (UInt64) throws -> Void,
        write: (Span<UInt8>) throws -> Void
    ) throws {
        var (offset, dataEnd) = (UInt64(0), byteCount)
        // At the end of the output, a hole is made by moving the position, without a write.
        if let output, byteCount > Self.smallest, try System.isAtEnd(output) { dataEnd = 0 }
        copying: while let output, offset < byteCount {
            try check(offset)
            if offset >= dataEnd {
                // This moves the position of the source's file, which other processes may share; nothing here depends
                // on it.
                let data = try System.data(of: descriptor.raw, from: offset)
                let start = min(data.lowerBound, byteCount)
                if data.isEmpty, start < byteCount { throw truncated(at: start) }
                let position = try System.position(of: output) + (start - offset)
                if start == byteCount { try System.truncate(output, to: position) }
                if start > offset { try System.seek(output, to: position) }
                (offset, dataEnd) = (start, data.upperBound)
                continue
            }
            let most = Int(clamping: min(Self.copied, min(dataEnd, byteCount) - offset))
            switch try System.sendFile(descriptor.raw, at: offset, to: output, count: most) {
            case .count(0): throw truncated(at: offset)
            case .count(let copied): offset += UInt64(copied)
            case .blocked: _ = try System.poll([PollInterest(output, .writable)], milliseconds: nil)
            case .unsupported: break copying
            }
        }
        try forEachChunk(in: offset..<byteCount) { chunk in
            try check(offset)
            try write(chunk)
            offset += UInt64(chunk.count)
        }
    }

    /// Returns `path` if this very file is there; the path that a source sends is not trusted.
    package func verified(path: String?) -> String? {
        guard let path, path.hasPrefix("/"), !isImmutable,
            let there = try? System.status(at: path), let here = try? System.status(of: descriptor.raw),
            there.isSameFile(as: here), there.size == byteCount
        else { return nil }
        return path
    }

    package func truncated(at offset: UInt64) -> Failure {
        Failure(
            .sourceTruncated,
            "the file that the source passed ends after \(offset) of \(byteCount) bytes: it was shortened"
        )
    }
}
