import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension PassedFile {
    /// All bytes of the file. They are mapped if they cannot change, and read otherwise.
    ///
    /// - Parameter isCancelled: is called between two chunks.
    func contents(isCancelled: () -> Bool) throws(Failure) -> Data {
        guard byteCount > 0 else { return Data() }
        if isImmutable, let mapped = try? Data(mapping: MemoryFile(sealed: descriptor), count: byteCount) {
            return mapped
        }
        var data = Data()
        data.reserve(announced: byteCount)
        do {
            try forEachChunk { chunk in
                if isCancelled() { throw Failure(.cancelled, "the load was cancelled") }
                data.append(copying: chunk)
            }
        } catch {
            throw error as? Failure ?? Failure(.sourceFailed, "\(error)")
        }
        return data
    }

    /// The permissions of the file, for a copy; nil for memory and kept bytes, whose mode has no meaning.
    var attributes: FileAttributes? {
        guard !isImmutable, let status = try? System.status(of: descriptor.raw),
            let link = try? System.linkTarget("/proc/self/fd/\(descriptor.raw)"),
            !link.bytes.starts(with: "/memfd:".utf8), !KeptDirectory.contains(descriptor.raw)
        else { return nil }
        var attributes = FileAttributes()
        attributes.mode = FileAttributes(of: status).mode
        return attributes
    }

    /// The bytes from `offset` on, at most one chunk; empty at the end.
    func chunk(at offset: UInt64) throws(Failure) -> Data {
        let count = Int(clamping: min(UInt64(WireLimits.dataLength), byteCount - min(offset, byteCount)))
        guard count > 0 else { return Data() }
        let chunk = try [UInt8](capacity: count) { (output) throws(Failure) in
            try read(at: offset, into: &output)
        }
        return Data(chunk)
    }
}

extension Data {
    /// Reserves memory for a size that the source has only announced: at most 64 MiB. Beyond that, the memory grows
    /// with the bytes.
    mutating func reserve(announced byteCount: UInt64) {
        reserveCapacity(Int(Swift.min(byteCount, 64 << 20)))
    }

    /// Makes data without a copy: its memory is the file's pages, which are unmapped with the last owner of the data.
    fileprivate init(mapping file: MemoryFile?, count: UInt64) throws(SystemError) {
        guard let file else { throw SystemError(call: "mmap", errno: 22) }
        let mapped = try MappedBytes(file, count: Int(clamping: count))
        // The data keeps the mapping alive as long as it uses its memory.
        self.init(bytesNoCopy: mapped.base, count: mapped.count, deallocator: .custom { _, _ in _ = mapped })
    }
}
